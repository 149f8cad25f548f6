#include <algorithm>
#include <string>
#include <vector>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/words.h"
#include "operators/jobset_parts.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

// The volumes that a JobSet claims for its pods.

namespace trainyard {
namespace {

using namespace jobset;

bool mounts(View object, std::string_view volume) {
  for (View role : roles_of(object)) {
    for (std::string_view list : {"initContainers", "containers"}) {
      for (View container : items_at(pod_spec(role), list)) {
        for (View mount : items_at(container, "volumeMounts")) {
          if (string_at(mount, "name") == volume) return true;
        }
      }
    }
  }
  return false;
}

void volume_claims(View object, CheckContext& context) {
  std::vector<View> seen;
  for (View policy : items_at(spec_of(object), "volumeClaimPolicies")) {
    for (View claim : items_at(policy, "templates")) {
      const View name = get(get(claim, "metadata"), "name");
      if (string_of(name).empty()) {
        context.refuse(claim, "a claim of `volumeClaimPolicies` needs a name");
        continue;
      }
      if (const Fault fault = why_not_subdomain(name->text)) {
        context.refuse(name, "claim name " + shown(name->text) + " " + *fault);
      }
      const auto first =
          std::ranges::find_if(seen, [&](View other) { return other->text == name->text; });
      if (first != seen.end()) {
        context.refuse(name, "two claims are called " + shown(name->text))
            .also(context.place(*first), "the first one");
      }
      seen.push_back(name);
      if (is_jobset(object) && !mounts(object, name->text)) {
        context.refuse(name, "no container mounts the claim " + shown(name->text));
      }
      for (View role : roles_of(object)) {
        for (View volume : items_at(pod_spec(role), "volumes")) {
          const View own = get(volume, "name");
          if (string_of(own) != name->text) continue;
          context.refuse(own, "the claim " + shown(name->text) + " becomes a volume of this name")
              .also(context.place(name), "the claim");
        }
      }
    }
  }
}

/// Whether the claim is there because this very JobSet made it.
bool is_made_by(View claim, View object) {
  for (View owner : items_at(get(claim, "metadata"), "ownerReferences")) {
    const bool same = string_at(owner, "kind") == "JobSet" &&
                      string_at(owner, "name") == string_at(get(object, "metadata"), "name");
    if (same) return true;
  }
  return false;
}

/// A claim of the name that JobSet would give is used as it is, and never deleted with the JobSet.
/// A policy that does not say what becomes of it is one to delete it.
void claims_that_are_there(View object, CheckContext& context) {
  if (context.old()) return;  // asked of what is new only
  const View metadata = get(object, "metadata");
  for (View policy : items_at(spec_of(object), "volumeClaimPolicies")) {
    for (View claim : items_at(policy, "templates")) {
      const View name = get(get(claim, "metadata"), "name");
      if (string_of(name).empty() || string_at(metadata, "name").empty()) continue;
      const Inventory* around = context.inventory();
      if (around == nullptr) return;
      const std::string whole =
          std::string(name->text) + "-" + std::string(string_at(metadata, "name"));
      const View there =
          around->find("", "PersistentVolumeClaim", string_at(metadata, "namespace"), whole);
      if (!there || is_made_by(there, object)) continue;
      const View retention = get(policy, "retentionPolicy");
      const View fate = get(retention, "whenDeleted");
      if (string_of(fate) != "Retain") {
        context
            .refuse(fate        ? fate
                    : retention ? retention
                                : policy,
                    "the claim " + shown(whole) +
                        " already exists, and stays: `whenDeleted` must be `Retain`")
            .also(context.place(there), "the claim");
      }
      const View spec = get(claim, "spec");
      if (changed(get(there, "spec"), spec, {})) {
        context.refuse(spec, "the claim " + shown(whole) + " already exists, and differs")
            .also(context.place(get(there, "spec")), "the claim");
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "jobset-volume-claims",
     .group = CheckGroup::Training,
     .on = kWithRuntimes,
     .sentence = "Claims of a JobSet have different names, are mounted, and hide no volume.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateVolumeClaimPolicies",
     .object = volume_claims,
     .operators = kOperator},
    {.name = "jobset-claims-there",
     .group = CheckGroup::Training,
     .on = "jobset.x-k8s.io JobSet",
     .sentence = "A claim that already exists is the one that a JobSet would make, and stays.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateVolumeClaimPolicies",
     .object = claims_that_are_there,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> jobset_volume_checks = kChecks;

}  // namespace trainyard
