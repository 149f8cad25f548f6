// Commands that never end, in front of those that train; and ranks that are no numbers.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_endless(const ScriptCommand& command) {
  if (command.words.size() < 2) return false;
  const std::string_view program = program_name(command.words[0].text);
  const std::string_view first = command.words[1].text;
  if (program == "sleep") return first == "infinity" || first == "inf";
  return program == "tail" && first.starts_with("-f") && command.words.back().text == "/dev/null";
}

bool starts_training(const ScriptCommand& command) {
  return std::ranges::any_of(
      command.words, [](const ScriptWord& word) { return starts_ranks(program_name(word.text)); });
}

/// Whether the script comes to a command, and waits for it.
bool is_in_the_way(const ScriptCommand& command) {
  using Joint = ScriptCommand::Joint;
  return command.is_simple() && command.around == kNoCommand && !command.may_be_left_out &&
         !command.is_output && command.behind == Joint::Line && command.before == Joint::Line;
}

void check_endless(View script, CheckContext& context) {
  const auto read = script_in(script);
  const ScriptCommand* first = nullptr;
  for (const ScriptCommand& command : read->commands) {
    if (first == nullptr && is_in_the_way(command) && is_endless(command)) first = &command;
    if (first == nullptr || !starts_training(command) || command.around != kNoCommand) continue;
    context.lint(WordView(script, first->words.front().begin, first->words.back().end),
                 "this never ends, and what comes behind it is never started");
    return;
  }
}

/// `RANK=${HOSTNAME%-*}`: what is left is the name, without its number.
void check_rank(View container, View script, CheckContext& context) {
  const auto call = torchrun_call(container);
  const std::string_view rank = call ? std::string_view(call->option("node-rank").text) : "";
  if (!rank.starts_with('$') || rank.find_first_of("(%#:") != rank.npos) return;
  const std::size_t begin = rank.find_first_not_of("${");
  if (begin == rank.npos) return;
  const std::string name(rank.substr(begin, rank.find('}') - begin));
  const std::string_view text = string_of(script);
  const std::string assigned = name + "=${HOSTNAME%";
  const std::size_t at = text.find(assigned);
  if (at == text.npos || (at > 0 && text[at - 1] != '\n' && text[at - 1] != ' ')) return;
  const std::size_t end = text.find('}', at);
  const std::string_view cut = text.substr(at + assigned.size(), end - at - assigned.size());
  if (end == text.npos || (cut != "-*" && cut != "%-*")) return;
  context.lint(WordView(script, at, end + 1),
               "this is the name of the pod without its number, and no rank; expected " +
                   shown(name + "=${HOSTNAME##*-}"));
}

void endless_commands(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    static constexpr std::string_view kSleep = "sleep inf", kTail = "tail -f", kHost = "{HOSTNAME%";
    const bool may_wait = contains_text(each.node, kSleep) || contains_text(each.node, kTail);
    const bool may_cut = contains_text(each.node, kHost);
    if (!may_wait && !may_cut) continue;
    const View script = script_of(arguments_of(each.node));
    if (!script || string_of(script).find(' ') == std::string_view::npos) continue;
    if (may_wait) check_endless(script, context);
    if (may_cut) check_rank(each.node, script, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "endless-command",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A script comes to the launcher that it has, with a rank that is a number.",
     .source = "IEEE Std 1003.1 Shell Command Language, 2.6.2 Parameter Expansion",
     .pod = endless_commands,
     .severity = Severity::Warning,
     .because = "The pod runs and does nothing, or the launcher ends with an error.",
     .fix = "take out what waits for ever; of a name with a number, `${HOSTNAME##*-}` is the "
            "number"},
};

}  // namespace

const std::span<const Check> endless_command_lints = kChecks;

}  // namespace trainyard
