#include "lints/queue/kai_limit.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "admission/resource_amounts.h"
#include "diag/words.h"
#include "lints/queue/queue_fit.h"
#include "manifest/inventory.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kLeastPods = "kai.scheduler/batch-min-member";

/// That of the owner counts, before those of pods: kai-scheduler/KAI-Scheduler
/// pkg/podgrouper/podgrouper/plugins/defaultgrouper/default_grouper.go CalcPodGroupQueue. An empty
/// view where the pods name several.
View queue_name(const Workload& workload) {
  constexpr std::string_view key = "kai.scheduler/queue";
  if (const View own = get(get(get(workload.object, "metadata"), "labels"), key)) return own;
  View named;
  for (const WorkloadRole& role : workload.roles) {
    const View own = get(get(role.pod.metadata, "labels"), key);
    if (!own || (named && named->text != own->text)) return {};
    named = own;
  }
  return named;
}

bool is_for_kai(const Workload& workload) {
  return !workload.roles.empty() &&
         std::ranges::all_of(workload.roles, [](const WorkloadRole& role) {
           return string_at(role.pod.spec, "schedulerName") == "kai-scheduler";
         });
}

bool lowers_the_gang(View metadata) {
  return static_cast<bool>(get(get(metadata, "annotations"), kLeastPods));
}

/// Whether KAI starts all of the pods or none. kai-scheduler/KAI-Scheduler
/// pkg/podgrouper/podgrouper/plugins: jobset, kubeflow
bool start_together(const Workload& workload) {
  if (lowers_the_gang(get(workload.object, "metadata"))) return false;
  if (workload.is("jobset.x-k8s.io", "JobSet")) {
    const View policy = get(workload.spec, "startupPolicy");
    return string_at(policy, "startupPolicyOrder") != "InOrder" &&
           std::ranges::none_of(items_at(workload.spec, "replicatedJobs"), [](View each) {
             return lowers_the_gang(get(get(each, "template"), "metadata"));
           });
  }
  if (workload.group != "kubeflow.org") return false;
  const View policy = get(get(workload.spec, "runPolicy"), "schedulingPolicy");
  return !get(policy, "minAvailable") && !get(workload.spec, "elasticPolicy");
}

/// The largest amount of GPUs that is started at once or not at all.
std::optional<Quantity> asked_at_once(const Workload& workload) {
  if (start_together(workload)) return taken(workload, kGpu);
  std::optional<Quantity> most;
  for (const WorkloadRole& role : workload.roles) {
    const auto one = requested(role.pod, kGpu);
    if (one && (!most || *most < *one)) most = one;
  }
  return most;
}

}  // namespace

void check_kai_limit(const Workload& workload, CheckContext& context) {
  const View named = queue_name(workload);
  const Inventory* inventory = string_of(named).empty() ? nullptr : context.inventory();
  if (inventory == nullptr || !is_for_kai(workload)) return;
  const auto asked = asked_at_once(workload);
  if (!asked) return;
  constexpr int kMostLevels = 8;  // queues may be below each other in a circle
  std::string_view name = named->text;
  for (int level = 0; level < kMostLevels && !name.empty(); ++level) {
    const View spec = get(inventory->find("scheduling.run.ai", "Queue", "", name), "spec");
    const View limit = get(get(get(spec, "resources"), "gpu"), "limit");
    const auto most = limit && limit->is_scalar() ? Quantity::parse(limit->text) : std::nullopt;
    if (most && !most->is_negative() && *asked > *most) {  // -1 is no limit
      context
          .lint(named, "queue " + shown(name) + " gives at most " + most->text() +
                           " GPUs, and pods that start together take " + asked->text())
          .also(context.place(limit), "the limit");
      return;
    }
    name = string_at(spec, "parentQueue");
  }
}

}  // namespace trainyard
