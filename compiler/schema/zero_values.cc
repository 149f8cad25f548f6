#include "schema/zero_values.h"

#include <algorithm>

namespace trainyard {
namespace {

constexpr std::string_view kAny = "*";

/// The key of the map, or of the list that the map is in; "" for the whole object.
std::string_view holder_of(const Tree& tree, const Frame& at) {
  const Frame* frame = &at;
  while (frame->in_list()) frame = frame->up;
  return frame->up == nullptr ? std::string_view() : tree[frame->node].key;
}

/// The same for the parent of that map or list.
std::string_view above_of(const Tree& tree, const Frame& at) {
  const Frame* frame = &at;
  while (frame->in_list()) frame = frame->up;
  return frame->up == nullptr ? std::string_view() : holder_of(tree, *frame->up);
}

bool is_inside(const Tree& tree, const Frame& at, std::string_view key) {
  for (const Frame* frame = &at; frame->up != nullptr; frame = frame->up) {
    if (frame->in_map() && tree[frame->node].key == key) return true;
  }
  return false;
}

/// Metadata that is not of the object itself but of what is made from a template.
bool is_of_template(const Tree& tree, const Frame& at) {
  for (const Frame* frame = &at; frame->up != nullptr; frame = frame->up) {
    if (frame->in_map() && tree[frame->node].key == "metadata") return frame->up->up != nullptr;
  }
  return false;
}

struct MissingField {
  std::string_view holder;  // see holder_of
  std::string_view field;
  std::string_view group = kAny;
  std::string_view inside = {};  // a key above
};
constexpr MissingField kMissing[] = {
    {"podFailurePolicy", "rules"},
    {"httpHeaders", "value"},
    {"sysctls", "value"},
    {"preferredDuringSchedulingIgnoredDuringExecution", "preference"},
    {"sleep", "seconds"},
    {"clusterTrustBundle", "path"},
    {"matchExpressions", "key", kAny, "clusterTrustBundle"},
    {"matchExpressions", "operator", kAny, "clusterTrustBundle"},
    {"spec", "limits"},
    {"versions", "served"},
    {"", "spec", "resource.k8s.io"},
    {"spec", "spec", "resource.k8s.io"},
    {"configMap", "kubeletConfigKey", ""},
    {"configMap", "name", ""},
    {"configMap", "namespace", ""},
    // Of claims that a StatefulSet would make.
    {"conditions", "type", "apps", "status"},
    {"conditions", "status", "apps", "status"},
    // Of a claim that names a source which the server drops; else the check `claim-spec` speaks.
    {"dataSource", "kind", ""},
    {"dataSource", "name", ""},
};

struct EmptyItem {
  std::string_view list;
  std::string_view above = kAny;  // see above_of
  std::string_view group = kAny;
};
constexpr EmptyItem kEmptyItems[] = {
    {"accessModes", "status", "apps"},
    {"add", "capabilities"},
    {"apiGroups"},
    {"args"},
    {"clusterRoleSelectors"},
    {"command"},
    {"conditions", "status", "apps"},
    {"drop", "capabilities"},
    {"egress", "spec", "networking.k8s.io"},
    {"imagePullSecrets"},
    {"ingress", "spec", "networking.k8s.io"},
    {"mountOptions"},
    {"nodeSelectorTerms"},
    {"nonResourceURLs"},
    {"podCIDRs"},
    {"ports", kAny, "networking.k8s.io"},
    {"resourceNames"},
    {"resources", "rules", "rbac.authorization.k8s.io"},
    {"rules", "spec", "networking.k8s.io"},
    {"secrets", ""},
    {"supplementalGroups"},
    {"tls", "spec", "networking.k8s.io"},
    {"tolerations", "exactly"},
    {"values", "matchExpressions"},
    {"values", "matchLabelExpressions"},
    {"verbs"},
};

bool fits(std::string_view wanted, std::string_view found) {
  return wanted == kAny || wanted == found;
}

}  // namespace

bool is_taken_as_zero(const Tree& tree, const Frame& at, std::string_view group,
                      std::string_view field) {
  const std::string_view holder = holder_of(tree, at);
  if (holder == "ownerReferences") return is_of_template(tree, at);
  return std::ranges::any_of(kMissing, [&](const MissingField& row) {
    return row.holder == holder && row.field == field && fits(row.group, group) &&
           (row.inside.empty() || is_inside(tree, at, row.inside));
  });
}

bool is_taken_as_empty_item(const Tree& tree, const Frame& at, std::string_view group) {
  const std::string_view list = holder_of(tree, at);
  const std::string_view above = above_of(tree, at);
  if (list == "ownerReferences" || list == "finalizers" || list == "managedFields") {
    return above == "metadata" && is_of_template(tree, at);
  }
  return std::ranges::any_of(kEmptyItems, [&](const EmptyItem& row) {
    return row.list == list && fits(row.above, above) && fits(row.group, group);
  });
}

}  // namespace trainyard
