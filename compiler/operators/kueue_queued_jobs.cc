#include "operators/kueue_queued_jobs.h"

#include <algorithm>
#include <string>

#include "diag/words.h"
#include "manifest/metadata.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard::kueue {

bool is_elastic(View object) {
  return string_of(annotation(object, kElastic)) == "true";
}

bool reads_elastic(const CheckContext& context) {
  return context.versions().within({.name = "kueue", .since = "0.18"});
}

bool is_queued(View object) {
  return !string_of(label(object, kQueueName)).empty();
}

void name_in(View at, std::string_view what, CheckContext& context) {
  if (!at || at.kind() != Kind::String) return;
  if (const Fault fault = why_not_subdomain(at->text)) {
    context.refuse(at, "there can be no " + std::string(what) + " " + shown(at->text) +
                           ": the name " + (at->text.empty() ? "is empty" : *fault));
  }
}

View prebuilt_of(View object) {
  const View own = annotation(object, kPrebuilt);
  return string_of(own).empty() ? label(object, kPrebuilt) : own;
}

bool is_passed_over(View object) {
  const std::string_view kind = string_at(object, "kind");
  if (kind == "MPIJob") return string_at(object, "apiVersion") == "kubeflow.org/v1";
  if (kind != "StatefulSet") return false;
  const View holder = get(get(object, "spec"), "template");
  const View parent = annotation(holder, "kueue.x-k8s.io/pod-suspending-parent");
  return parent && string_of(parent) != "statefulset";
}

bool is_in_given_cluster(View object) {
  const View spec = get(object, "spec");
  return string_at(object, "kind") == "RayJob" && is_queued(object) &&
         has_items(get(spec, "clusterSelector"));
}

std::string_view group_of_pod(View pod) {
  const std::string_view own = string_of(annotation(pod, kGroupName));
  return own.empty() ? string_of(label(pod, kGroupName)) : own;
}

bool differs(View now, View before) {
  return string_of(now) != string_of(before);
}

}  // namespace trainyard::kueue
