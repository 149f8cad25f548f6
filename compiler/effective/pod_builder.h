#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "source/origin.h"
#include "tree/tree.h"

namespace trainyard {

/// Makes what a controller would make of what users wrote. Copied values lead back to their lines;
/// what the controller adds is marked with its name and a reason.
class PodBuilder {
 public:
  PodBuilder(Tree& made, Origins& noted) : tree(made), origins(noted) {}

  Tree& tree;
  Origins& origins;

  /// The controller that adds things from here on: `training-operator`.
  void act_for(std::string_view controller) { controller_ = controller; }

  /// A mark for something that is added because of `why`, a few words; the value `led_by`, if any,
  /// is the user's part in it.
  OriginId mark(std::string_view why, View led_by = {});

  /// A deep copy; values that were read from a text get its lines as their origins.
  NodeId copy(View from);

  NodeId text(std::string_view text, OriginId mark) {
    return tree.add_string(tree.intern(text), mark);
  }
  NodeId number(std::int64_t value, OriginId mark) { return tree.add_int(value, mark); }
  NodeId truth(bool value, OriginId mark) { return tree.add_bool(value, mark); }
  NodeId map(OriginId mark) { return tree.add_map(mark); }
  NodeId list(OriginId mark) { return tree.add_seq(mark); }

  /// Sets an entry of a map, in the place of what was there.
  void put(NodeId map, std::string_view key, NodeId value);
  void put(NodeId map, std::string_view key, std::string_view value, OriginId mark) {
    put(map, key, text(value, mark));
  }
  /// A copy of a value of the user's; nothing when there is none.
  void put_copy(NodeId map, std::string_view key, View value) {
    if (value) put(map, key, copy(value));
  }

  /// The map or list at `key`; a new one when there is none.
  NodeId map_at(NodeId map, std::string_view key, OriginId mark) {
    return collection_at(map, key, Kind::Map, mark);
  }
  NodeId list_at(NodeId map, std::string_view key, OriginId mark) {
    return collection_at(map, key, Kind::Seq, mark);
  }

  View view(NodeId id) const { return id == kNoNode ? View() : View(tree, id); }

 private:
  NodeId collection_at(NodeId map, std::string_view key, Kind kind, OriginId mark);
  OriginId origin_of(View from);
  void note_places(NodeId id);

  std::string_view controller_;
};

}  // namespace trainyard
