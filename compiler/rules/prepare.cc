#include "rules/prepare.h"

#include <utility>
#include <vector>

#include "source/shell.h"

namespace trainyard {

std::string for_a_shell(std::string_view script) {
  std::string escaped;
  for (std::size_t i = 0; i < script.size(); ++i) {
    escaped += script[i];
    if (script[i] == '$' &&
        (script.substr(i + 1).starts_with('$') || script.substr(i + 1).starts_with('('))) {
      escaped += '$';
    }
  }
  return escaped;
}

namespace {

std::string pip_line(const Run& run) {
  std::string line = "python3 -m pip install --no-cache-dir";
  bool first = true;
  for (const Text& url : *run.pip->index_urls) {
    line += first ? " --index-url " : " --extra-index-url ";
    line += shell_quoted(*url);
    first = false;
  }
  for (const Text& argument : *run.pip->args) line += " " + shell_quoted(*argument);
  for (const Text& package : *run.packages) line += " " + shell_quoted(*package);
  return line + "\n";
}

}  // namespace

void prepare(RuleContext& context, Role& role, const Run& run) {
  // Where the program is a line of the job, whoever runs that installs the packages as well.
  const bool packages = run.packages && !context.in.target->entrypoint;
  if (!run.before && !packages) return;
  if (role.command.empty()) {
    context
        .report(DiagnosticKind::NoProgram, run.before ? run.before.span : run.packages.span,
                "`before` and `packages` need a program to start afterwards")
        .note("the image's own entry point cannot be known here; give `run.command`");
    return;
  }
  std::string script = "set -e\n";
  if (packages) script += pip_line(run);
  for (const Text& line : *run.before) script += std::string(*line) + "\n";
  script += "exec \"$@\"\n";
  const OriginId origin = context.because({context.from(run.before), context.from(run.packages)});
  std::vector<CommandWord> wrapped = {{"/bin/sh", origin},
                                      {"-c", origin},
                                      {context.text(for_a_shell(script)), origin},
                                      {"sh", origin}};
  wrapped.insert(wrapped.end(), role.command.begin(), role.command.end());
  role.command = std::move(wrapped);
}

}  // namespace trainyard
