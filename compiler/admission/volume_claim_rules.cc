#include <algorithm>
#include <array>

#include "admission/name_checks.h"
#include "admission/resource_amounts.h"
#include "admission/tables.h"
#include "admission/volume_claim.h"
#include "check/check.h"
#include "diag/words.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kAccessModes = std::to_array<std::string_view>(
    {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"});

void access_modes(View spec, CheckContext& context) {
  const View modes = get(spec, "accessModes");
  if (!has_items(modes)) {
    context.refuse(modes ? modes : spec,
                   "the claim has no access mode; expected `accessModes` with one at least, such "
                   "as `[ReadWriteOnce]`");
    return;
  }
  View alone;
  for (View mode : Items(modes)) {
    context.allow(mode, "access mode", kAccessModes);
    if (string_of(mode) == "ReadWriteOncePod") alone = mode;
  }
  if (alone && modes->size > 1) {
    context.refuse(alone, "`ReadWriteOncePod` goes with no other access mode");
  }
}

void storage_request(View spec, CheckContext& context) {
  const View requests = get(get(spec, "resources"), "requests");
  const View storage = get(requests, "storage");
  if (!storage) {
    context.refuse(
        requests ? requests : spec,
        "the claim does not say how much it wants; expected `resources.requests.storage`");
    return;
  }
  if (!storage->is_scalar()) return;
  const auto amount = Quantity::parse(storage->text);
  if (amount && (amount->is_zero() || amount->is_negative())) {
    context.refuse(storage, "a claim of " + shown(storage->text) + " holds nothing");
  } else if (lacks_a_unit(storage->text) && string_at(spec, "volumeName").empty()) {
    context.warn(storage, "the claim is for " + without_unit(storage->text, "the amount"));
  }
}

/// Of a claim of its own the server drops every other source that is not written as a reference.
/// kubernetes/kubernetes pkg/api/persistentvolumeclaim/util.go
bool is_kept(View source) {
  const std::string_view group = string_at(source, "apiGroup");
  const std::string_view kind = string_at(source, "kind");
  return (group.empty() && kind == "PersistentVolumeClaim") ||
         (group == "snapshot.storage.k8s.io" && kind == "VolumeSnapshot");
}

void data_source(View source, CheckContext& context) {
  if (!source || !source->is_map()) return;
  const bool in_claim = string_at(context.object(), "kind") == "PersistentVolumeClaim";
  if (in_claim && source.key() == "dataSource" && !is_kept(source)) {
    context.warn(source,
                 "the claim comes up empty: a source that is no `PersistentVolumeClaim` and no "
                 "`VolumeSnapshot` of `snapshot.storage.k8s.io` is dropped; others belong into "
                 "`dataSourceRef`");
    return;
  }
  if (in_claim && source.key() == "dataSourceRef" && !string_at(source, "namespace").empty()) {
    // pkg/features/kube_features.go: the gate is alpha, and off by default.
    context.warn(get(source, "namespace"),
                 "a `dataSourceRef` to another namespace is dropped without a word, unless the "
                 "feature gate `CrossNamespaceVolumeDataSource` is on: the claim is made without "
                 "it");
    return;
  }
  require_text(source, "kind", context);
  require_text(source, "name", context);
  const View kind = get(source, "kind");
  const View group = get(source, "apiGroup");
  if (!string_of(group).empty()) {
    if (const Fault fault = why_not_subdomain(group->text)) {
      context.refuse(group, "API group " + shown(group->text) + " " + *fault);
    }
  }
  if (string_at(source, "apiGroup").empty() && !string_of(kind).empty() &&
      kind->text != "PersistentVolumeClaim") {
    context.refuse(kind, "a data source without `apiGroup` is a `PersistentVolumeClaim`, not " +
                             shown(kind->text));
  }
}

/// The older field and the newer one say the same where both are given.
void same_sources(View spec, CheckContext& context) {
  const View older = get(spec, "dataSource");
  const View newer = get(spec, "dataSourceRef");
  if (!older || !newer || get(newer, "namespace")) return;
  for (std::string_view key : {"apiGroup", "kind", "name"}) {
    if (string_at(older, key) == string_at(newer, key)) continue;
    context
        .refuse_key(newer,
                    "`dataSource` and `dataSourceRef` name different sources; expected one of them")
        .also(context.place(older), "the other one");
    return;
  }
}

void claim(View object, CheckContext& context) {
  check_claim_spec(get(object, "spec"), object, context);
}

constexpr Check kChecks[] = {
    {.name = "claim-spec",
     .group = CheckGroup::Storage,
     .on = "core PersistentVolumeClaim",
     .sentence = "A claim says how much it wants and how it may be mounted.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePersistentVolumeClaimSpec",
     .object = claim},
};

}  // namespace

void check_claim_spec(View spec, View holder, CheckContext& context) {
  if (!spec) {
    context.refuse(holder, "the claim has no `spec`: it has to say how much it wants");
    return;
  }
  if (!spec->is_map()) return;
  access_modes(spec, context);
  storage_request(spec, context);
  check_selector(get(spec, "selector"), context);
  context.name(get(spec, "storageClassName"), "storage class", why_not_subdomain);
  constexpr auto modes = std::to_array<std::string_view>({"Block", "Filesystem"});
  context.allow_written(get(spec, "volumeMode"), "volume mode", modes);
  data_source(get(spec, "dataSource"), context);
  data_source(get(spec, "dataSourceRef"), context);
  same_sources(spec, context);
  context.name(get(spec, "volumeAttributesClassName"), "volume attributes class",
               why_not_subdomain);
}

constinit const std::span<const Check> claim_checks = kChecks;

}  // namespace trainyard
