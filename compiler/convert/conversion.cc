#include "convert/conversion.h"

#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {

View Conversion::find(std::string_view group, std::string_view kind,
                      std::string_view wanted) const {
  const std::string_view own = string_at(get(job, "metadata"), "namespace");
  for (View each : objects) {
    if (string_at(each, "kind") != kind || group_of(string_at(each, "apiVersion")) != group) {
      continue;
    }
    const View other_metadata = get(each, "metadata");
    const std::string_view other = string_at(other_metadata, "namespace");
    const bool elsewhere = !own.empty() && !other.empty() && own != other;
    if (string_at(other_metadata, "name") == wanted && !elsewhere) return each;
  }
  return {};
}

bool Conversion::share(std::span<const std::string_view> path, NodeId value, View from) {
  NodeId map = shared;
  for (std::string_view key : path.first(path.size() - 1)) map = map_at(map, key);
  const std::string_view last = path.back();
  const NodeId known = maker.tree.find(map, last);
  if (known == kNoNode) {
    maker.put(map, last, value);
  } else if (!equal(maker.tree, known, maker.tree, value)) {
    std::string field = "spec";
    for (std::string_view key : path) field += "." + std::string(key);
    ledger.lost(from, "another role has another value, and `" + field + "` is one for all roles",
                "choose one value for all roles, or say this one in `pod` of the role");
    return false;
  }
  ledger.carried(from);
  return true;
}

void Conversion::share_copy(std::initializer_list<std::string_view> path, View value) {
  if (value) share(path, maker.copy(value), value);
}

void Conversion::patch(std::string_view target, std::initializer_list<std::string_view> path,
                       View value) {
  if (!value) return;
  const NodeId patches = list_at(shared, "patches");
  NodeId item = maker.tree[patches].first;
  if (item == kNoNode) {
    item = map();
    maker.put(item, "kind", text(string_at(job, "kind")));
    maker.put(item, "target", text(target));
    maker.tree.append(patches, item);
  }
  NodeId at = map_at(item, "patch");
  const std::span keys(path.begin(), path.size());
  for (std::string_view key : keys.first(keys.size() - 1)) at = map_at(at, key);
  carry(at, keys.back(), value);
}

std::int64_t Conversion::fewest_pods() const {
  if (gang_pods > 0) return gang_pods;
  return integer_of(shared_at({"elastic", "minNodes"})).value_or(pods);
}

View Conversion::shared_at(std::initializer_list<std::string_view> path) const {
  View at = maker.view(shared);
  for (std::string_view key : path) at = at[key];
  return at;
}

void Conversion::carry(NodeId map, std::string_view key, View value) {
  if (!value) return;
  maker.put(map, key, maker.copy(value));
  ledger.carried(value);
}

std::string duration_text(std::int64_t seconds) {
  struct Unit {
    std::int64_t seconds;
    char letter;
  };
  constexpr Unit kUnits[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}};
  for (const Unit& unit : kUnits) {
    if (seconds != 0 && seconds % unit.seconds == 0) {
      return std::to_string(seconds / unit.seconds) + unit.letter;
    }
  }
  return std::to_string(seconds) + "s";
}

bool is_first_host(const Conversion& job, std::string_view host) {
  const std::string_view label = host.substr(0, host.find('.'));
  if (job.by_mpirun && label == job.name + "-launcher") return true;
  return label.starts_with(job.name + "-") && label.ends_with("-0");
}

}  // namespace trainyard
