#include <set>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

// Cohorts of Kueue that stand below each other.

namespace trainyard {
namespace {

View parent_of(View cohort) {
  const View spec = get(cohort, "spec");
  const View parent = get(spec, "parentName");
  return parent ? parent : get(spec, "parent");
}

/// A circle is reported once, at the first of its names.
void cohort_circle(View object, CheckContext& context) {
  const View parent = parent_of(object);
  const std::string_view own = string_of(metadata_name(object));
  if (string_of(parent).empty() || own.empty()) return;
  const Inventory* around = context.inventory();
  if (around == nullptr) return;
  std::string path = shown(own);
  std::set<std::string_view> seen;
  for (View at = parent; !string_of(at).empty() && at->text >= own;) {
    if (!seen.insert(at->text).second) return;  // a circle further up, without this one
    path += " below " + shown(at->text);
    if (at->text == own) {
      context.refuse(parent,
                     "cohorts stand below each other in a circle, and Kueue admits nothing "
                     "to any of their queues: " +
                         path);
      return;
    }
    at = parent_of(around->find("kueue.x-k8s.io", "Cohort", "", at->text));
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-cohort-circle",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "kueue.x-k8s.io Cohort",
     .sentence = "No cohort stands below itself, also not through others.",
     .source = "kubernetes-sigs/kueue pkg/cache/hierarchy/cycle.go HasCycle, "
               "pkg/cache/scheduler/clusterqueue.go",
     .object = cohort_circle,
     .operators = {.name = "kueue", .since = "0.9"}},
};

}  // namespace

constinit const std::span<const Check> kueue_quota_reference_checks = kChecks;

}  // namespace trainyard
