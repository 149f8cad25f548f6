#include "rules/prepare.h"

#include <iterator>

#include "shell/shell_words.h"

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

/// Where neither the image's packages nor a home can be written, as with a user that the image does
/// not know, whose home is `/`.
constexpr std::string_view kPlaceOfPackages =
    "[ -w \"${HOME:-/}\" ] || export PYTHONUSERBASE=\"${PYTHONUSERBASE:-/tmp/python}\"\n";

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

/// TAO trains on each node alone, without an error, where the address of rank 0 has no record yet
/// (NVIDIA-TAO/tao-pytorch nvidia_tao_pytorch/core/distributed/validator.py). Other frameworks ask
/// again until their own time is up.
bool needs_address_at_start(const RuleContext& context) {
  return *context.plan.framework == "tao" && context.plan.rendezvous.master.is_set;
}

/// For five minutes; then the pod fails, and its log says why.
constexpr std::string_view kWaitForAddress = R"sh(left=300
until ! command -v getent >/dev/null || getent hosts "$MASTER_ADDR" >/dev/null; do
  left=$((left - 1))
  [ "$left" -gt 0 ] || { echo "no address for rank 0, $MASTER_ADDR" >&2; exit 1; }
  sleep 1
done
)sh";

}  // namespace

void put_shell_in_front(RuleContext& context, std::vector<CommandWord>& command,
                        std::string_view script, OriginId origin) {
  const CommandWord front[] = {{"/bin/sh", origin},
                               {"-c", origin},
                               {context.text(for_a_shell(script)), origin},
                               {"sh", origin}};
  command.insert(command.begin(), std::begin(front), std::end(front));
}

void prepare(RuleContext& context, Role& role, const Run& run) {
  // Where the program is a line of the job, the shell of that line installs the packages as well.
  const bool packages = run.packages && !context.in.target->entrypoint;
  const bool asked = run.before || packages;
  const bool waits = needs_address_at_start(context) && !role.command.empty();
  if (!asked && !waits) return;
  if (role.command.empty()) {
    context
        .report(DiagnosticKind::NoProgram, run.before ? run.before.span : run.packages.span,
                "`before` and `packages` need a program to start afterwards")
        .note("the image's own entry point cannot be known here; give `run.command`");
    return;
  }
  std::string script = "set -e\n";
  if (waits) script += kWaitForAddress;
  if (packages) script.append(kPlaceOfPackages).append(pip_line(run));
  for (const Text& line : *run.before) script += std::string(*line) + "\n";
  script += "exec \"$@\"\n";
  const OriginId origin =
      asked ? context.because({context.from(run.before), context.from(run.packages)})
            : context.because({context.plan.rendezvous.master.origin});
  put_shell_in_front(context, role.command, script, origin);
}

}  // namespace trainyard
