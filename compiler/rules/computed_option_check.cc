#include <algorithm>
#include <string>
#include <string_view>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

// As option_name spells them.
constexpr std::string_view kTorchrun[] = {"--nnodes",       "--nproc-per-node", "--node-rank",
                                          "--master-addr",  "--master-port",    "--rdzv-backend",
                                          "--rdzv-endpoint"};
constexpr std::string_view kAccelerate[] = {"--num-machines", "--num-processes", "--machine-rank",
                                            "--main-process-ip", "--main-process-port"};
constexpr std::string_view kDeepspeed[] = {"--num-gpus",    "--num-nodes",   "--node-rank",
                                           "--master-addr", "--master-port", "--world-info",
                                           "--hostfile"};
constexpr std::string_view kMpirun[] = {"-np", "-n"};

std::span<const std::string_view> computed_by(Launcher launcher) {
  switch (launcher) {
    case Launcher::Torchrun:
      return kTorchrun;
    case Launcher::Accelerate:
      return kAccelerate;
    case Launcher::Deepspeed:
      return kDeepspeed;
    case Launcher::Mpirun:
      return kMpirun;
    case Launcher::None:
      return {};
  }
  return {};
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    const auto computed = computed_by(launcher_of(context, input));
    for (const Text& word : *run.launcher_args) {
      const std::string name = option_name(*word);
      if (std::find(computed.begin(), computed.end(), name) == computed.end()) continue;
      context
          .report(DiagnosticKind::ComputedOption, word.span,
                  code(name) + " is computed from the spec and must not be given by hand")
          .note("`nodes`, `processesPerNode` and `run.rendezvous` decide it");
    }
  }
}

}  // namespace

extern const Rule computed_option_check_rule{
    "computed-option-check",
    Rule::Phase::Check,
    "No launcher option is given by hand that is computed from the spec.",
    "The command line wins over the environment, so a stale number of nodes would win.",
    "spec.run.launcherArgs spec.framework",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
