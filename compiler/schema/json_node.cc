#include "schema/json_node.h"

#include <nlohmann/json.hpp>

namespace trainyard {

NodeId add_json(Tree& tree, const nlohmann::json& json, OriginId origin) {
  switch (json.type()) {
    case nlohmann::json::value_t::null:
      return tree.add(Kind::Null, {}, origin);
    case nlohmann::json::value_t::boolean:
      return tree.add_bool(json.get<bool>(), origin);
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return tree.add(Kind::Int, tree.intern(json.dump()), origin);
    case nlohmann::json::value_t::number_float:
      return tree.add(Kind::Float, tree.intern(json.dump()), origin);
    case nlohmann::json::value_t::array: {
      const NodeId list = tree.add_seq(origin);
      for (const auto& item : json) tree.append(list, add_json(tree, item, origin));
      return list;
    }
    case nlohmann::json::value_t::object: {
      const NodeId map = tree.add_map(origin);
      for (const auto& [key, value] : json.items()) {
        const NodeId child = add_json(tree, value, origin);
        tree.append(map, tree.intern(key), child);
      }
      return map;
    }
    default:
      return tree.add_string(tree.intern(json.get<std::string>()), origin);
  }
}

}  // namespace trainyard
