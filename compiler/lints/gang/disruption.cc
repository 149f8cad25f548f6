// Pods of one job that an autoscaler moves while they run.

#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gang/collective_start.h"
#include "lints/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kKarpenter = "karpenter.sh/";
constexpr std::string_view kStay = "karpenter.sh/do-not-disrupt";
constexpr std::string_view kStayBefore = "karpenter.sh/do-not-evict";  // until release 0.32

/// The label by which a pod asks for nodes that Karpenter makes; an empty view for none.
View karpenter_label(View spec) {
  for (View entry : entries_at(spec, "nodeSelector")) {
    if (entry.key().starts_with(kKarpenter)) return entry;
  }
  return {};
}

void may_be_moved(const Workload& workload, CheckContext& context) {
  if (workload.gpu_pods < 2 || !is_distributed(workload) || is_elastic(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    const View label = karpenter_label(role.pod.spec);
    const View annotations = get(role.pod.metadata, "annotations");
    if (!label || role.devices.all() == 0) continue;
    if (get(annotations, kStay) || get(annotations, kStayBefore)) continue;
    context.lint(label, "Karpenter may move these " + counted_pods(role.pods) +
                            " to other nodes while they run: they lack the annotation " +
                            shown(kStay));
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "pods-may-be-moved",
     .group = CheckGroup::Gang,
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .sentence = "Ranks on nodes of Karpenter are not evicted to consolidate nodes.",
     .source = "aws/karpenter-provider-aws website, disruption: pod-level controls; "
               "aws-samples/karpenter-blueprints issue 6",
     .workload = may_be_moved,
     .severity = Severity::Note,
     .because = "It evicts pods to have fewer or cheaper nodes, and one evicted rank ends or hangs "
                "the whole job.",
     .fix = "annotate the pod template with `karpenter.sh/do-not-disrupt: \"true\"`",
     .rule = "disruption"},
};

}  // namespace

const std::span<const Check> disruption_lints = kChecks;

}  // namespace trainyard
