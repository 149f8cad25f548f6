#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Bits of PodPlace::controller_defaults: what is added or set between the template and the pod, so
/// that its absence from the template says nothing.
enum ControllerDefault : std::uint16_t {
  kSetsRestartPolicy = 1,  // the template's own counts for nothing, or has a default of its own
  kAddsVolumes = 2,        // a mount may name a volume that comes later
  kAddsImages = 4,         // a container may come without an image
  kAddsContainers = 8,     // the list of containers may be empty or partial
  kAddsClaims = 16,        // a container may name a resource claim that comes later
  kSetsHostname = 32,      // `hostname` and `subdomain` are overwritten
  kRunsForever = 64,       // the pods must restart always, and may have no deadline
  kIsPod = 128,            // not a template but the pod itself
  /// A patch on a template elsewhere: only what it says can be wrong, not what it leaves out.
  kIsPatch = kSetsRestartPolicy | kAddsVolumes | kAddsImages | kAddsContainers | kAddsClaims,
};

/// Where a kind holds a pod template: an item of `pods` in templates/shapes.yaml. In paths `[]`
/// stands for every item of a list and `*` for every entry of a map.
struct PodPlace {
  std::string_view group;  // "" for the core group; all its versions
  std::string_view kind;
  std::string_view path;  // of a map with `metadata` and `spec`; "" for the object itself
  std::uint16_t controller_defaults = 0;
  std::string_view volumes = {};  // path to the names of volumes that the controller adds
  View volume_names = {};         // a list of those that it always adds
};

std::span<const PodPlace> pod_places();

/// Kinds that hold something like a pod spec without a controller that makes a pod of it, and why.
struct PodlessKind {
  std::string_view group;
  std::string_view kind;
  std::string_view because;
};
std::span<const PodlessKind> podless_kinds();

/// The group of an apiVersion: "batch" of `batch/v1`, "" of `v1`.
std::string_view group_of(std::string_view api_version);

/// Calls `found` for every value at `path` below `at`.
template <class Found>
void each_at(View at, std::string_view path, Found found) {
  if (!at) return;
  if (path.empty()) return found(at);
  const std::size_t dot = path.find('.');
  std::string_view step = path.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  const bool items = step.ends_with("[]");
  if (items) step.remove_suffix(2);
  if (step == "*") {
    if (!at->is_map()) return;
    for (View entry = at.first(); entry; entry = entry.next()) each_at(entry, rest, found);
    return;
  }
  const View value = at[step];
  if (!value) return;
  if (!items) return each_at(value, rest, found);
  if (!value->is_seq()) return;
  for (View item = value.first(); item; item = item.next()) each_at(item, rest, found);
}

}  // namespace trainyard
