#include "schema/rule_defaults.h"

#include <nlohmann/json.hpp>

#include "schema/json_node.h"

namespace trainyard {
NodeId RuleDefaults::node(const SchemaProperty& property) {
  const PackText text = (*pack_)[property.schema].default_value;
  if (text.size == 0) return kNoNode;
  const auto [found, is_new] = nodes_.try_emplace(&property, kNoNode);
  if (!is_new) return found->second;
  const auto json = nlohmann::json::parse(pack_->text(text), nullptr, false);
  if (json.is_discarded()) return kNoNode;
  const NodeId node = add_json(tree_, json);
  tree_[node].key = pack_->text(property.name);
  whole_.resize(tree_.size());
  whole_[node] = true;
  found->second = node;
  return node;
}

}  // namespace trainyard
