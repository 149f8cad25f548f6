// Nodes, and the classes of container runtimes that they have.

#include <array>
#include <string>
#include <vector>

#include "admission/ip_addresses.h"
#include "admission/name_checks.h"
#include "admission/networks.h"
#include "admission/resource_amounts.h"
#include "admission/tables.h"
#include "admission/tolerations.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void taints(View object, CheckContext& context) {
  constexpr auto effects =
      std::to_array<std::string_view>({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  std::vector<View> seen;
  for (View taint : items_at(get(object, "spec"), "taints")) {
    if (!taint->is_map()) continue;
    require_text(taint, "key", context);
    require_text(taint, "effect", context);
    if (is_set(get(taint, "key"))) check_label_key(get(taint, "key"), context);
    context.allow(get(taint, "effect"), "effect of a taint", effects);
    const View value = get(taint, "value");
    if (const Fault fault = why_not_label_value(string_of(value))) {
      context.refuse(value, "taint value " + shown(value->text) + " " + *fault);
    }
    for (View first : seen) {
      if (string_at(first, "key") != string_at(taint, "key") ||
          string_at(first, "effect") != string_at(taint, "effect")) {
        continue;
      }
      context
          .refuse(taint, "two taints with key " + shown(string_at(taint, "key")) + " and effect " +
                             shown(string_at(taint, "effect")))
          .also(context.place(first), "the first one");
      break;
    }
    seen.push_back(taint);
  }
}

bool same_text(View a, View b, std::string_view key) {
  return string_at(a, key) == string_at(b, key);
}

void unique_tolerations(View scheduling, CheckContext& context) {
  std::vector<View> seen;
  for (View each : items_at(scheduling, "tolerations")) {
    for (View first : seen) {
      const bool same = same_text(first, each, "key") && same_text(first, each, "operator") &&
                        same_text(first, each, "value") && same_text(first, each, "effect");
      if (!same) continue;
      context.refuse(each, "this toleration comes twice")
          .also(context.place(first), "the first one");
      break;
    }
    seen.push_back(each);
  }
}

void runtime_class(View object, CheckContext& context) {
  require_text(object, "handler", context);
  const View handler = get(object, "handler");
  context.name(handler, "handler", why_not_dns_label);
  const View fixed = get(get(object, "overhead"), "podFixed");
  if (fixed && fixed->is_map()) {
    check_resource_names(fixed, context);
    check_resource_amounts(fixed, context);
  }
  const View scheduling = get(object, "scheduling");
  check_labels(get(scheduling, "nodeSelector"), "node label", context);
  check_tolerations(get(scheduling, "tolerations"), context);
  unique_tolerations(scheduling, context);
  const View before = get(context.old(), "handler");
  if (handler && before && before->text != handler->text) {
    context.refuse(handler, "the handler is " + shown(before->text) +
                                " and cannot change; make another RuntimeClass");
  }
}

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateNode";

constexpr Check kChecks[] = {
    {.name = "node-taints",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "core Node",
     .sentence = "Taints of a node have a key and an effect, each pair once.",
     .source = kSource,
     .object = taints},
    {.name = "runtime-class",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "node.k8s.io RuntimeClass",
     .sentence = "A RuntimeClass names a handler, and gives pods resources, labels and tolerations "
                 "that they can have.",
     .source = "kubernetes/kubernetes pkg/apis/node/validation/validation.go",
     .object = runtime_class},
};

}  // namespace

const std::span<const Check> node_checks = kChecks;

}  // namespace trainyard
