
#include "admission/name_checks.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The metadata of the object itself is a matter of its schema.
void pod_labels(const Pod& pod, CheckContext& context) {
  if (pod.has(kIsPod)) return;
  check_labels(get(pod.metadata, "labels"), "label", context);
  std::size_t bytes = 0;
  for (View annotation : entries_at(pod.metadata, "annotations")) {
    bytes += annotation.key().size() + annotation->text.size();
    if (const Fault fault = why_not_annotation_key(annotation.key())) {
      context.refuse_key(annotation, "annotation key " + shown(annotation.key()) + " " + *fault);
    }
  }
  if (bytes > kAnnotationBytes) {
    context.refuse(get(pod.metadata, "annotations"),
                   "the annotations take " + std::to_string(bytes) + " bytes, at most " +
                       std::to_string(kAnnotationBytes) + " are allowed for one pod");
  }
}

void deletion_cost(const Pod& pod, CheckContext& context) {
  const View cost =
      get(get(pod.metadata, "annotations"), "controller.kubernetes.io/pod-deletion-cost");
  if (string_of(cost).empty()) return;
  const std::string_view text = cost->text;
  const bool is_plain = text == "0" || !text.starts_with('0');  // `08` is none in Go
  if (is_plain && read_number<std::int32_t>(text)) return;
  context.refuse(cost, "the cost of deleting a pod is a whole number, not " + shown(text));
}

constexpr Check kChecks[] = {
    {.name = "pod-labels",
     .group = CheckGroup::Core,
     .sentence = "Labels and annotations of a pod template are what a pod can have.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePodTemplateSpec",
     .pod = pod_labels},
    {.name = "pod-deletion-cost",
     .group = CheckGroup::Core,
     .sentence = "The annotation with the cost of deleting a pod is a whole number.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePodSpecificAnnotations",
     .pod = deletion_cost},
};

}  // namespace

constinit const std::span<const Check> pod_label_checks = kChecks;

}  // namespace trainyard
