#include "schema/rule_defaults.h"

#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

NodeId add(Tree& tree, const nlohmann::json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::null:
      return tree.add(Kind::Null);
    case nlohmann::json::value_t::boolean:
      return tree.add_bool(json.get<bool>());
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return tree.add(Kind::Int, tree.intern(json.dump()));
    case nlohmann::json::value_t::number_float:
      return tree.add(Kind::Float, tree.intern(json.dump()));
    case nlohmann::json::value_t::array: {
      const NodeId list = tree.add_seq();
      for (const auto& item : json) tree.append(list, add(tree, item));
      return list;
    }
    case nlohmann::json::value_t::object: {
      const NodeId map = tree.add_map();
      for (const auto& [key, value] : json.items()) {
        const NodeId child = add(tree, value);
        tree.append(map, tree.intern(key), child);
      }
      return map;
    }
    default:
      return tree.add_string(tree.intern(json.get<std::string>()));
  }
}

}  // namespace

NodeId RuleDefaults::node(const SchemaProperty& property) {
  const PackText text = (*pack_)[property.schema].default_value;
  if (text.size == 0) return kNoNode;
  const auto [found, is_new] = nodes_.try_emplace(&property, kNoNode);
  if (!is_new) return found->second;
  const auto json = nlohmann::json::parse(pack_->text(text), nullptr, false);
  if (json.is_discarded()) return kNoNode;
  const NodeId node = add(tree_, json);
  tree_[node].key = pack_->text(property.name);
  whole_.resize(tree_.size());
  whole_[node] = true;
  found->second = node;
  return node;
}

}  // namespace trainyard
