#include "effective/pod_builder.h"

namespace trainyard {

OriginId PodBuilder::origin_of(View from) {
  if (!from) return kNoOrigin;
  if (from->origin != kNoOrigin) return from->origin;
  return from->span.known() ? origins.add(OriginKind::Spec, from->span, "spec") : kNoOrigin;
}

OriginId PodBuilder::mark(std::string_view why, View led_by) {
  const std::string name = std::string(controller_) + ": " + std::string(why);
  return origins.add(OriginKind::Injected, {}, tree.intern(name), {origin_of(led_by)});
}

NodeId PodBuilder::copy(View from) {
  const NodeId made = tree.copy(from.tree(), from.id());
  note_places(made);
  return made;
}

void PodBuilder::note_places(NodeId id) {
  tree[id].origin = origin_of(View(tree, id));
  for (NodeId child : tree.children(id)) note_places(child);
}

void PodBuilder::put(NodeId map, std::string_view key, NodeId value) {
  const NodeId old = tree.find(map, key);
  if (old == kNoNode) {
    tree.append(map, tree.intern(key), value);
  } else if (old != value) {
    tree.replace(map, old, value);
  }
}

NodeId PodBuilder::collection_at(NodeId map, std::string_view key, Kind kind, OriginId mark) {
  const NodeId old = tree.find(map, key);
  if (old != kNoNode && tree[old].kind == kind) return old;
  const NodeId made = tree.add(kind, {}, mark);
  put(map, key, made);
  return made;
}

}  // namespace trainyard
