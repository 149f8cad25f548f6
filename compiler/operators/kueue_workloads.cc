#include <optional>

#include "admission/name_checks.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

// Kueue's Workloads: what it makes of a job, to admit it.

namespace trainyard {
namespace {

constexpr OperatorSpan kKueue{.name = "kueue"};

std::optional<Quantity> amount_of(View value) {
  if (!value || !value->is_scalar() || value.kind() == Kind::Null) return std::nullopt;
  return Quantity::parse(value->text);
}

void amounts_of(View resources, CheckContext& context) {
  for (std::string_view kind : {"requests", "limits"}) {
    for (View entry : entries_at(resources, kind)) {
      const auto amount = amount_of(entry);
      if (entry.key() == "pods") {
        context.refuse_key(entry, "Kueue keeps the resource `pods` for itself");
      } else if (amount && amount->is_negative()) {
        context.refuse(entry, shown(entry.key()) + " cannot be negative");
      }
    }
  }
}

/// Kubernetes does not look at the template of a Workload, Kueue does.
void template_metadata(View metadata, CheckContext& context) {
  check_labels(get(metadata, "labels"), "label", context);
  for (View entry : entries_at(metadata, "annotations")) {
    if (const Fault fault = why_not_annotation_key(entry.key())) {
      context.refuse_key(entry, "annotation key " + shown(entry.key()) + " " + *fault);
    }
  }
}

void workload(View object, CheckContext& context) {
  View first;
  const bool has_metadata = context.versions().within({.name = "kueue", .since = "0.19"});
  for (View set : items_at(get(object, "spec"), "podSets")) {
    if (has_metadata) template_metadata(get(get(set, "template"), "metadata"), context);
    const View least = get(set, "minCount");
    if (least && first) {
      context.refuse_key(least, "only one of the pod sets can have `minCount`")
          .also(context.place(first), "the first one");
    }
    if (least) first = least;
    const View topology = get(set, "topologyRequest");
    const View slice = get(topology, "podSetSliceRequiredTopology");
    const View size = get(topology, "podSetSliceSize");
    if (slice && !size) {
      context.refuse(slice, "`podSetSliceRequiredTopology` needs `podSetSliceSize`");
    } else if (size && !slice) {
      context.refuse_key(size, "`podSetSliceSize` goes with `podSetSliceRequiredTopology`");
    } else if (integer_of(size).value_or(1) <= 0) {
      context.refuse(size, "a slice has one pod at least");
    }
    const View pod = get(get(set, "template"), "spec");
    amounts_of(get(pod, "resources"), context);
    for (std::string_view list : {"containers", "initContainers"}) {
      for (View container : items_at(pod, list)) amounts_of(get(container, "resources"), context);
    }
  }
  const View elastic = annotation(object, "kueue.x-k8s.io/elastic-job");
  const bool reads_elastic = context.versions().within({.name = "kueue", .since = "0.18"});
  if (first && reads_elastic && string_of(elastic) == "true") {
    context.refuse_key(first, "a workload that grows and shrinks has no `minCount`")
        .also(context.place(elastic), "it does");
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-workload",
     .group = CheckGroup::Queue,
     .on = "kueue.x-k8s.io Workload",
     .sentence = "At most one pod set may shrink, and pods ask for nothing that Kueue keeps.",
     .source = "kubernetes-sigs/kueue pkg/webhooks/workload_webhook.go",
     .object = workload,
     .operators = kKueue},
};

}  // namespace

constinit const std::span<const Check> kueue_workload_checks = kChecks;

}  // namespace trainyard
