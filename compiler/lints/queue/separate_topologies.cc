// Roles of one job that Kueue places one by one.

#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void separate_topologies(const Workload& workload, CheckContext& context) {
  const WorkloadRole* first = nullptr;
  View first_level;
  for (const WorkloadRole& role : workload.roles) {
    const View annotations = get(role.pod.metadata, "annotations");
    const View level = get(annotations, "kueue.x-k8s.io/podset-required-topology");
    if (!level || role.pods == 0 || role.devices.all() == 0) continue;
    if (get(annotations, "kueue.x-k8s.io/podset-group-name")) continue;
    if (first == nullptr) {
      first = &role;
      first_level = level;
      continue;
    }
    if (role.step != first->step) continue;
    context
        .lint(level, "each role asks for a domain of " + shown(string_of(level)) +
                         " of its own, and Kueue may give them different ones")
        .also(context.place(first_level), "the other role asks here");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "separate-topologies",
     .group = CheckGroup::Queue,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "Roles with GPUs that each require a topology from Kueue are in one group.",
     .source = "kubernetes-sigs/kueue apis/kueue/v1beta1/topology_types.go: "
               "podset-group-name; issue 3887, pull request 5895",
     .workload = separate_topologies,
     .severity = Severity::Warning,
     .because = "Each role is a pod set, and Kueue finds a domain for each pod set by itself: "
                "traffic between the roles may leave the domain.",
     .fix = "give both the same annotation `kueue.x-k8s.io/podset-group-name`, or make them one "
            "role"},
};

}  // namespace

const std::span<const Check> separate_topology_lints = kChecks;

}  // namespace trainyard
