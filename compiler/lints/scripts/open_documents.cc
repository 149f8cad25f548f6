// Programs that a shell writes by a here-document, and changes on the way.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct Document {
  std::size_t begin = 0;  // in the script
  std::size_t end = 0;
};

/// The lines between the one with `<< WORD` and the one that is WORD.
Document document_of(std::string_view script, const Redirection& redirection) {
  const std::size_t line = script.find('\n', redirection.word.end);
  if (line == script.npos) return {};
  for (std::size_t at = line + 1; at < script.size();) {
    const std::size_t end = std::min(script.find('\n', at), script.size());
    std::string_view text = script.substr(at, end - at);
    if (redirection.mark == "<<-")
      text.remove_prefix(std::min(text.find_first_not_of('\t'), text.size()));
    if (text == redirection.word.text) return {line + 1, at};
    at = end + 1;
  }
  return {};
}

/// Python, by the lines with which its programs begin.
bool begins_as_python(std::string_view text) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"\nimport ", "\nfrom ", "\ndef ", "\nclass "}),
      [&](std::string_view start) {
        return text.starts_with(start.substr(1)) || text.find(start) != text.npos;
      });
}

/// `python - << EOF`, `cat > train.py << EOF`
bool goes_to_python(const ScriptCommand& command) {
  return std::ranges::any_of(command.words,
                             [](const ScriptWord& each) {
                               return program_name(each.text).starts_with("python");
                             }) ||
         std::ranges::any_of(command.redirections, [](const Redirection& each) {
           return each.mark.starts_with('>') && each.word.text.ends_with(".py");
         });
}

/// Whether neither the script nor the container can have given a variable of this name a value.
bool is_set_nowhere(std::string_view name, std::string_view script, View container) {
  const auto mentions = [&](const std::string& text) { return script.find(text) != script.npos; };
  return !variable(container, name) && !has_items(get(container, "envFrom")) &&
         !mentions(std::string(name) + "=") && !mentions("for " + std::string(name)) &&
         !mentions("read ") && !mentions("source ") && !mentions("\n. ");
}

/// What the shell puts in where a program of Python surely means its own text: the output of a
/// command in backquotes, `$5`, and a name in lower case that nothing sets. Other variables may
/// well be meant for the shell.
bool is_unwanted(const Expansion& each, std::string_view script, View container) {
  if (each.kind == Expansion::Kind::Output) return script[each.begin] == '`';
  if (each.kind != Expansion::Kind::Variable || each.name.empty()) return false;
  const char first = each.name[0];
  if (first >= 'a' && first <= 'z') {
    return each.change == 0 && is_set_nowhere(each.name, script, container);
  }
  const bool is_number = each.name.size() == 1 && first >= '0' && first <= '9';
  return is_number && script.substr(each.begin, 2) != "${";
}

void tell(View script, std::string_view what, Document at, CheckContext& context) {
  context.lint(WordView(script, at.begin, at.end),
               "the shell changes " + std::string(what) + " in the program that it writes here");
}

/// `\\`, which a shell makes one, or `\` before `$` and a backquote.
std::size_t changed_backslash(std::string_view text) {
  return text.find("\\\\");
}

void in_script(View script, View container, CheckContext& context) {
  const auto read = script_in(script);
  for (const ScriptCommand& command : read->commands) {
    for (const Redirection& each : command.redirections) {
      if (!each.mark.starts_with("<<") || each.mark == "<<<" || each.word.is_quoted) continue;
      const Document document = document_of(read->text, each);
      const std::string_view text =
          read->text.substr(document.begin, document.end - document.begin);
      if (!begins_as_python(text) && !goes_to_python(command)) continue;
      const auto unwanted = std::ranges::find_if(read->expansions, [&](const Expansion& one) {
        return one.begin >= document.begin && one.begin < document.end &&
               is_unwanted(one, read->text, container);
      });
      if (unwanted != read->expansions.end()) {
        const Document at{unwanted->begin, unwanted->end};
        tell(script, shown(read->text.substr(at.begin, at.end - at.begin)), at, context);
        return;
      }
      if (const std::size_t at = changed_backslash(text); at != text.npos) {
        tell(script, "`\\\\` to `\\`", {document.begin + at, document.begin + at + 2}, context);
        return;
      }
    }
  }
}

void open_documents(View container, CheckContext& context) {
  if (!contains_text(container, "<<")) return;
  const View script = script_of(arguments_of(container));
  if (string_of(script).empty() || script->text.find("{{") != std::string_view::npos) return;
  in_script(script, container, context);
}

void in_pod(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) open_documents(each.node, context);
}

void in_trainer(const Workload& workload, CheckContext& context) {
  if (workload.kind == "TrainJob") open_documents(get(workload.spec, "trainer"), context);
}

constexpr Check kChecks[] = {
    {.name = "open-here-document",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A program that a script writes by a here-document arrives as it is written.",
     .source = "POSIX.1-2017 Shell Command Language, 2.7.4 Here-Document; kubeflow/sdk "
               "kubeflow/trainer/backends/kubernetes/utils.py",
     .pod = in_pod,
     .workload = in_trainer,
     .severity = Severity::Warning,
     .because = "Where no part of the word behind `<<` is quoted, the shell runs what stands in "
                "backquotes, puts variables in and takes backslashes away.",
     .fix = "quote the word: `<< 'EOM'`"},
};

}  // namespace

const std::span<const Check> open_document_lints = kChecks;

}  // namespace trainyard
