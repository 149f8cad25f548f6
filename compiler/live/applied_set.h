#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// An object that was applied.
struct AppliedObject {
  std::string api_version;
  std::string kind;
  std::string name_space;
  std::string name;
  std::string uid;  // "" where it is not known yet

  friend bool operator==(const AppliedObject&, const AppliedObject&) = default;
};

/// The record of what was applied for one job or unit of a fleet: the ConfigMap `trainyard-<job>`
/// beside it. It is the parent of an ApplySet (kubernetes/enhancements
/// keps/sig-cli/3659-kubectl-apply-prune), so that `kubectl get -l
/// applyset.kubernetes.io/part-of=ID` lists the objects; kubectl refuses to prune it, for it is
/// ours. The exact list stands in it, too: to prune takes neither a search through the cluster nor
/// the rights for one.
struct AppliedSet {
  std::string job;  // or unit
  std::string name_space;
  std::string source;  // the path of the spec or Fleet
  std::string digest;  // of all that was applied, as sent
  std::vector<AppliedObject> objects;
};

/// Whether both are the same object of a cluster: its version and UID may differ, and a Job of
/// Volcano is none of Kubernetes.
bool is_same(const AppliedObject& a, const AppliedObject& b);

std::string applied_set_name(std::string_view job);
/// The label value that every member has.
std::string applied_set_id(std::string_view job, std::string_view name_space);
inline constexpr std::string_view kPartOf = "applyset.kubernetes.io/part-of";
/// Whether an object of the cluster says that it belongs to the set.
bool is_member(View live, const AppliedSet& set);

/// The ConfigMap, as YAML that can be applied.
std::string config_map_of(const AppliedSet& set);
/// Nothing when the ConfigMap is not such a record, or one that cannot be read.
std::optional<AppliedSet> read_applied_set(View config_map);

/// A body of ours with one more label.
std::string with_label(std::string body, std::string_view key, std::string_view value);

}  // namespace trainyard
