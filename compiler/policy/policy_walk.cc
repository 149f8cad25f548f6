#include "policy/policy_walk.h"

namespace trainyard {
namespace {

/// Most keys of a document are in no path, which one bit tells.
std::uint64_t hint(std::string_view name) {
  if (name.empty()) return 1;
  return 1ULL << ((name.size() * 5 + static_cast<unsigned char>(name.back())) % 64);
}

}  // namespace

std::size_t PolicyWalk::add(const PolicyPath& path) {
  std::uint32_t place = 0;
  for (const PolicyPath::Part& part : path.parts) place = next(place, part);
  if (places_[place].path == kNone) {
    found_.emplace_back();
    places_[place].path = static_cast<std::uint32_t>(found_.size());
  }
  return places_[place].path - 1;
}

/// The place after a step, which is made if it is new.
std::uint32_t PolicyWalk::next(std::uint32_t place, const PolicyPath::Part& part) {
  const auto fresh = static_cast<std::uint32_t>(places_.size());
  Place& from = places_[place];
  from.is_end = false;
  std::uint32_t* to = nullptr;
  switch (part.step) {
    case PolicyPath::Step::Items:
      to = &from.items;
      break;
    case PolicyPath::Step::Entries:
      to = &from.entries;
      break;
    case PolicyPath::Step::Field:
      if (const std::uint32_t known = field(from, part.name)) return known;
      from.hints |= hint(part.name);
      to = &from.fields.emplace_back(part.name, kNone).second;
      break;
  }
  if (*to == kNone) {
    *to = fresh;
    places_.emplace_back();  // `from` and `to` are gone
    return fresh;
  }
  return *to;
}

inline std::uint32_t PolicyWalk::field(const Place& place, std::string_view name) const {
  if ((place.hints & hint(name)) == 0) return kNone;
  for (const auto& [known, to] : place.fields) {
    if (known == name) return to;
  }
  return kNone;
}

void PolicyWalk::walk(std::uint32_t id, View at, const PodContainer* container) {
  const Place& place = places_[id];
  if (place.path != kNone) {
    std::vector<Found>& found = found_[place.path - 1];
    if (found.empty()) filled_.push_back(place.path - 1);
    found.push_back({at, container});
  }
  if (place.is_end) return;
  const Tree& tree = at.tree();
  const Node& node = tree[at.id()];
  const bool is_map = node.is_map();
  if (!is_map && (place.items == kNone || !node.is_seq())) return;
  for (NodeId next = node.first; next != kNoNode;) {
    const Node& child = tree[next];
    const View view(tree, next);
    next = child.next;
    if (child.kind == Kind::Null) continue;
    if (!is_map) {
      walk(place.items, view, container);
      continue;
    }
    if (place.entries != kNone) walk(place.entries, view, container);
    if (const std::uint32_t to = field(place, child.key)) walk(to, view, container);
  }
}

void PolicyWalk::walk_all(View subject, const Pod* pod) {
  for (std::size_t path : filled_) found_[path].clear();
  filled_.clear();
  subject_ = subject;
  object_ = object_number();
  walked_ = found_.size();
  walk(0, subject, nullptr);
  if (pod == nullptr) return;
  const std::uint32_t containers = field(places_[0], "containers");
  if (containers == kNone) return;
  for (const PodContainer& each : pod->containers) {
    walk(places_[containers].items, each.node, &each);
  }
}

}  // namespace trainyard
