#include "driver/checks/run_ai_job_check.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/selection.h"
#include "effective/run_ai_job.h"
#include "manifest/kinds.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Those for which Run:ai adds nothing that would change the answer.
constexpr auto kAsked =
    std::to_array<std::string_view>({"standalone-in-a-gang", "node-count", "launcher-in-launcher",
                                     "one-rank-for-all", "local-master"});

bool is_asked(View workload) {
  return string_at(workload, "kind") == "DistributedWorkload" &&
         string_at(workload, "apiVersion").starts_with("run.ai/") &&
         string_at(get(workload, "spec"), "jobType") == "PyTorchJob";
}

}  // namespace

void ask_launch_checks(const Workload& job, CheckContext& context) {
  for (const Check* check : context.selection().of(job.group, job.kind).on_workload) {
    const bool is_wanted = std::ranges::find(kAsked, check->name) != kAsked.end();
    if (is_wanted && context.use(*check)) check->workload(job, context);
  }
}

void check_run_ai_job(Session& session, View workload, const CheckInputs& surroundings) {
  if (!is_asked(workload)) return;
  Tree tree;
  Origins origins;
  PodBuilder maker(tree, origins);
  const View job = run_ai_job(maker, workload);
  if (!job) return;
  const Tree* const documents[] = {&workload.tree()};
  Sink found;
  CheckContext context(surroundings, origins, documents, found);
  context.start(workload, {}, {});
  ask_launch_checks(read_workload(job, "kubeflow.org", "PyTorchJob"), context);
  for (Diagnostic each : found.all()) {
    each.path.clear();
    std::erase_if(each.labels, [](const Label& label) { return !label.span.known(); });
    each.note("Run:ai makes a PyTorchJob of it, with this command in its pods");
    session.sink.report(std::move(each));
  }
}

}  // namespace trainyard
