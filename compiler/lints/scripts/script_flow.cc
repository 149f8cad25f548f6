#include "lints/scripts/script_flow.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "diag/words.h"
#include "manifest/devices.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

enum class End : std::uint8_t { Line, Background, Pipe, IfRight, IfWrong };

/// A command of a script as far as blanks part its words, and what ends it.
struct Command {
  std::vector<std::string_view> words;
  End end = End::Line;

  std::string_view word(std::size_t at) const {
    return at < words.size() ? words[at] : std::string_view();
  }
};

std::vector<std::string_view> split(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string_view> words;
  std::size_t begin = text.find_first_not_of(kBlanks);
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    if (text.substr(begin, end - begin) != "\\") words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

/// Parts a script into its commands. What stands in parentheses is a part of one.
class Commands {
 public:
  explicit Commands(std::string_view text) : text_(text), script_(text) {
    while (script_.next()) step();
    take(text.size(), End::Line);
  }

  const std::vector<Command>& all() const { return all_; }

 private:
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  void step() {
    const std::size_t here = script_.at();
    if (script_.begins_comment()) {
      take(here, End::Line);
      script_.pass_comment();
      begin_ = std::min(text_.find('\n', here), text_.size());
      return;
    }
    const char c = script_.here();
    if (c == '(') ++depth_;
    if (c == ')' && depth_ > 0) --depth_;
    if (depth_ > 0 || here < begin_) return;
    if (c == '\n' || c == ';') return take(here, End::Line);
    if (c != '&' && c != '|') return;
    const char before = here == 0 ? '\0' : text_[here - 1];
    const char next = at(here + 1);
    if (before == '>' || before == '<' || (c == '&' && next == '>')) return;  // `2>&1`, `&>`
    const bool twice = next == c;
    const End end =
        c == '&' ? (twice ? End::IfRight : End::Background) : (twice ? End::IfWrong : End::Pipe);
    take(here, end);
    begin_ = here + (twice || next == '&' ? 2 : 1);  // `|&`
  }

  void take(std::size_t end, End how) {
    if (end > begin_) {
      std::vector<std::string_view> words = split(text_.substr(begin_, end - begin_));
      if (!words.empty()) all_.push_back({std::move(words), how});
    }
    begin_ = std::max(begin_, std::min(end + 1, text_.size()));
  }

  std::string_view text_;
  OutsideQuotes script_;
  std::vector<Command> all_;
  std::size_t begin_ = 0;
  std::size_t depth_ = 0;
};

/// A word that is a part of the script's own text.
WordView place_in(View script, std::string_view word) {
  const auto begin = static_cast<std::size_t>(word.data() - script->text.data());
  return {script, begin, begin + word.size()};
}

bool has_gpus(View container) {
  return devices_of(get(container, "resources")).all() > 0;
}

/// The name of the program of a command that trains; "" for another one. Python and the programs
/// of TAO do where there are GPUs.
std::string_view trainer_of(const Command& command, View container) {
  constexpr auto launchers =
      std::to_array<std::string_view>({"torchrun", "mpirun", "mpiexec", "deepspeed", "horovodrun"});
  std::size_t at = 0;
  while (at < command.words.size() && leads_to_program(command.words[at])) ++at;
  const std::string_view name = program_name(command.word(at));
  const std::string_view next = command.word(at + 1);
  if (std::ranges::find(launchers, name) != launchers.end()) return name;
  if (name == "accelerate" && next == "launch") return name;
  const bool runs_file = name.starts_with("python") && next.ends_with(".py");
  const bool is_module = name.starts_with("python") && next == "-m" &&
                         command.word(at + 2).starts_with("torch.distributed.");
  if (is_module) return name;
  return (runs_file || next == "train") && has_gpus(container) ? name : std::string_view();
}

/// Whether pods start again whatever their script says when it ends.
bool restarts_anyway(const Pod& pod, CheckContext& context) {
  constexpr auto kinds = std::to_array<std::string_view>(
      {"Pod", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "LeaderWorkerSet"});
  const std::string_view policy = string_at(pod.spec, "restartPolicy");
  if (!policy.empty()) return policy == "Always";
  return std::ranges::find(kinds, string_at(context.object(), "kind")) != kinds.end();
}

/// Whether a shell is told, or the script looks, how the programs in front of a `|` ended.
bool looks_at_pipes(View container) {
  if (variable(container, "SHELLOPTS")) return true;
  const auto looks = [](View argument) {
    return argument->text.find("pipefail") != argument->text.npos ||
           argument->text.find("PIPESTATUS") != argument->text.npos ||
           argument->text.find("pipestatus") != argument->text.npos;
  };
  return std::ranges::any_of(items_at(container, "command"), looks) ||
         std::ranges::any_of(items_at(container, "args"), looks);
}

/// `torchrun a.py | tee log` as the last of a script: it ends as `tee` does.
void lost_in_pipe(const Pod& pod, View container, View script, const std::vector<Command>& commands,
                  CheckContext& context) {
  if (commands.size() < 2 || commands.back().end != End::Line) return;
  const Command& last = commands.back();
  if (last.word(0) != "tee" || looks_at_pipes(container) || restarts_anyway(pod, context)) return;
  for (std::size_t i = commands.size() - 1; i > 0 && commands[i - 1].end == End::Pipe; --i) {
    const std::string_view trainer = trainer_of(commands[i - 1], container);
    if (trainer.empty()) continue;
    context.lint(place_in(script, trainer),
                 "a failure of " + shown(trainer) +
                     " counts as success: the script ends as `tee` does, behind the `|`");
    return;
  }
}

/// What takes no part in a training, and ends by itself.
bool is_brief(const Command& command) {
  const std::string_view name = command.word(0);
  const std::string_view time = command.word(1);
  if (name == "echo" || name == "true") return true;
  return name == "sleep" && time.find_first_not_of("0123456789.smhd") == time.npos;
}

/// `torchrun a.py &` with nothing behind that waits for it.
void left_in_background(View container, View script, const std::vector<Command>& commands,
                        CheckContext& context) {
  for (std::size_t i = commands.size(); i > 0; --i) {
    const Command& command = commands[i - 1];
    const std::string_view trainer = trainer_of(command, container);
    if (command.end == End::Background && !trainer.empty()) {
      context.lint(place_in(script, trainer),
                   "nothing waits for " + shown(trainer) +
                       ", which a `&` puts into the background: the container ends with "
                       "the script, and counts as a success");
      return;
    }
    if (!is_brief(command) || command.end != End::Line) return;
  }
}

bool never_ends(const Command& command) {
  const std::string_view name = command.word(0);
  if (name == "sleep") return command.word(1) == "infinity" || command.word(1) == "inf";
  return name == "tail" && command.word(1) == "-f" && command.word(2) == "/dev/null";
}

/// Whether what stands behind a command may be met all the same, or the command may be passed over.
bool may_branch(const Command& command) {
  constexpr auto words = std::to_array<std::string_view>(
      {"if", "for", "while", "until", "case", "function", "{", "trap", "exit", "return"});
  const std::string_view first = command.word(0);
  if (std::ranges::find(words, first) != words.end()) return true;
  return std::ranges::any_of(command.words, [](std::string_view word) {
    return word.ends_with("()") || word == "(" || word == "{";
  });
}

/// `sleep infinity`, left from a look around, in front of the training.
void never_reached(View container, View script, const std::vector<Command>& commands,
                   CheckContext& context) {
  const Command* before = nullptr;
  for (auto each = commands.begin(); each != commands.end(); before = &*each++) {
    if (may_branch(*each)) return;
    if (!never_ends(*each) || each->end == End::Background || each->end == End::Pipe) continue;
    if (before != nullptr && before->end != End::Line && before->end != End::Background) continue;
    if (each->end == End::IfWrong) continue;
    const std::string_view waiting = each->word(0);
    while (++each != commands.end()) {
      const std::string_view trainer = trainer_of(*each, container);
      if (trainer.empty()) continue;
      context.lint(place_in(script, waiting), shown(trainer) + " is never started: " +
                                                  shown(waiting) + " in front of it does not end");
      break;
    }
    return;
  }
}

}  // namespace

void check_script_flow(const Pod& pod, View container, View script, CheckContext& context) {
  const std::string_view text = string_of(script);
  if (text.find("<<") != text.npos || text.find('`') != text.npos) return;
  const std::vector<Command> commands = Commands(text).all();
  const std::size_t before = context.findings();
  never_reached(container, script, commands, context);
  if (context.findings() == before) lost_in_pipe(pod, container, script, commands, context);
  if (context.findings() == before) left_in_background(container, script, commands, context);
}

namespace {

/// A text in quotes without them; "" for one that only a shell knows.
std::string_view literal(std::string_view text) {
  const bool is_quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front();
  if (is_quoted) text = text.substr(1, text.size() - 2);
  return text.find_first_of("$`\"'\\") == text.npos ? text : std::string_view();
}

OptionValue exported_in(View script, const std::string& assignment) {
  const std::string_view text = script->text;
  if (text.find("<<") != text.npos || text.find('`') != text.npos) return {};
  const Commands commands(text);
  End before = End::Line;
  for (const Command& command : commands.all()) {
    if (may_branch(command) || command.word(0) == ".") return {};
    const bool is_sure = before == End::Line || before == End::Background;
    before = command.end;
    if (!is_sure || command.word(0) != "export" || before == End::Pipe) continue;
    for (std::string_view word : command.words) {
      if (!word.starts_with(assignment)) continue;
      return {std::string(literal(word.substr(assignment.size()))), place_in(script, word)};
    }
  }
  return {};
}

}  // namespace

OptionValue exported_value(View container, std::string_view name) {
  static constexpr std::string_view kExport = "export ";
  if (!mentions(container, kExport)) return {};
  const std::string assignment = std::string(name) + "=";
  OptionValue found;
  std::size_t times = 0;
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      const std::string_view text = argument->text;
      for (std::size_t at = text.find(assignment); at != text.npos;
           at = text.find(assignment, at + 1)) {
        ++times;
      }
      if (times != 0 && !found) found = exported_in(argument, assignment);
    }
  }
  return times == 1 && may_run_shell(container) ? found : OptionValue();
}

}  // namespace trainyard
