// TrainJobs whose runtime does not give their program what it reads.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "operators/train_job_runtime.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether a container of the runtime brings the number of nodes itself, or may.
bool may_tell_nodes(View runtime) {
  bool may = false;
  const View jobs = get(get(get(runtime, "spec"), "template"), "spec");
  for (View job : items_at(jobs, "replicatedJobs")) {
    for (View container : items_at(pod_spec_of(job), "containers")) {
      may = may || variable(container, "PET_NNODES") || has_items(get(container, "envFrom"));
    }
  }
  return may;
}

/// kubeflow/trainer pkg/runtime/framework/plugins/torch/torch.go: without the policy the plugin
/// leaves the job alone.
void torch_policy(const Workload& workload, CheckContext& context) {
  if (workload.kind != "TrainJob" || workload.working_pods() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      if (!call || mpirun_call(container) || !is_all_known(container, *call)) continue;
      if (call->option("nnodes") || call->option("standalone")) continue;
      if (variable(container, "PET_NNODES") || script_sets(container, "PET_NNODES")) continue;
      const View runtime = train_job(workload.object, context).runtime;
      const View policy = get(get(runtime, "spec"), "mlPolicy");
      if (!runtime || get(policy, "torch") || may_tell_nodes(runtime)) continue;
      const View name = get(get(runtime, "metadata"), "name");
      context
          .lint(call->at,
                "runtime " + shown(string_of(name)) + " has no `torch` policy, so that each of " +
                    std::to_string(workload.working_pods()) + " pods trains the whole model alone")
          .also(context.place(policy ? policy : name), "the runtime");
      return;
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "runtime-without-torch",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A TrainJob that starts torchrun on several nodes has a runtime that tells it of "
                 "them.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/torch/torch.go; kubeflow/sdk issue "
               "142",
     .workload = torch_policy,
     .severity = Severity::Warning,
     .because = "Nothing sets `PET_NNODES` and `PET_MASTER_ADDR`: torchrun waits for one node, its "
                "own.",
     .fix = "add `mlPolicy.torch` to the runtime, or give torchrun `--nnodes`, `--node-rank` and "
            "`--master-addr`"},
};

}  // namespace

const std::span<const Check> runtime_policy_lints = kChecks;

}  // namespace trainyard
