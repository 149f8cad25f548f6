#include <string>
#include <string_view>

#include "rules/context.h"
#include "rules/launch.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

bool starts_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// The name in the first `${NAME}` or `${NAME:-...}` of a text; "" when there is none.
std::string_view shell_variable(std::string_view text) {
  const std::size_t open = text.find("${");
  if (open == std::string_view::npos || open + 2 >= text.size()) return {};
  if (!starts_name(text[open + 2])) return {};
  const std::size_t close = text.find('}', open);
  if (close == std::string_view::npos) return {};
  std::string_view name = text.substr(open + 2, close - open - 2);
  return name.substr(0, name.find_first_of(":-+?%#/"));
}

/// Arguments that a shell of the user's own will see.
bool runs_shell(const Run& run) {
  if (!run.command || run.command->empty()) return false;
  const std::string_view program = *run.command->front();
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "sh" || name == "bash" || name == "zsh" || name == "dash";
}

void check_words(RuleContext& context, const TextList& words) {
  for (const Text& word : *words) {
    const std::string_view name = shell_variable(*word);
    if (name.empty()) continue;
    context
        .report(DiagnosticKind::UnexpandedVariable, word.span,
                code("${" + std::string(name) + "}") + " reaches the program as it is written")
        .note("Kubernetes expands " + code("$(" + std::string(name) + ")") +
              "; only a shell expands `${...}`, and `run.shell` starts one");
  }
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    if (!runs_shell(run)) check_words(context, run.command);
    check_words(context, run.args);
    check_words(context, run.launcher_args);
  }
}

}  // namespace

extern const Rule argument_check_rule{
    "argument-check",
    Rule::Phase::Check,
    "No `${NAME}` stands in an argument that no shell will see.",
    "Kubernetes expands `$(NAME)` in command and args and nothing else "
    "(kubernetes/kubernetes third_party/forked/golang/expansion/expand.go).",
    "spec.run",
    "",
    run};

}  // namespace trainyard
