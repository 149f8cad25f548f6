// Random JSON for tests that hold two implementations to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tree/tree.h"

namespace trainyard::testing {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int upto(int last) { return static_cast<int>(engine_() % (static_cast<unsigned>(last) + 1)); }
  bool one_in(int count) { return upto(count - 1) == 0; }
  std::size_t index(std::size_t size) { return engine_() % size; }

 private:
  std::mt19937 engine_;  // the same numbers everywhere, unlike the distributions
};

inline NodeId add_json(Tree& tree, const nlohmann::json& value) {
  if (value.is_null()) return tree.add(Kind::Null);
  if (value.is_boolean()) return tree.add_bool(value.get<bool>());
  if (value.is_number_integer()) return tree.add(Kind::Int, tree.intern(value.dump()));
  if (value.is_number()) return tree.add(Kind::Float, tree.intern(value.dump()));
  if (value.is_string()) return tree.add_string(tree.intern(value.get<std::string>()));
  const NodeId node = value.is_array() ? tree.add_seq() : tree.add_map();
  for (const auto& [key, entry] : value.items()) {
    const NodeId child = add_json(tree, entry);
    if (value.is_array()) {
      tree.append(node, child);
    } else {
      tree.append(node, tree.intern(key), child);
    }
  }
  return node;
}

}  // namespace trainyard::testing
