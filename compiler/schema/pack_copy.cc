#include "schema/pack_copy.h"

#include <vector>

namespace trainyard {

std::optional<SchemaId> PackCopy::named(std::string_view name) {
  if (from_ == nullptr) return std::nullopt;
  const std::size_t kind_at = name.rfind('/');
  if (kind_at == std::string_view::npos) return std::nullopt;
  const std::size_t version_at = name.rfind('/', kind_at - 1);
  if (kind_at == 0 || version_at == std::string_view::npos) return std::nullopt;
  std::string_view group = name.substr(0, version_at);
  if (group == "core") group = "";
  const std::string_view version = name.substr(version_at + 1, kind_at - version_at - 1);
  const std::string_view kind = name.substr(kind_at + 1);
  const SchemaKind* found = from_->find(group, version, kind);
  if (found == nullptr) found = from_->find_definition(group, version, kind);
  if (found == nullptr) return std::nullopt;
  return copy(found->schema);
}

SchemaId PackCopy::copy(SchemaId id) {
  if (const auto done = copied_.find(id); done != copied_.end()) return done->second;
  const auto [open, first] = open_.try_emplace(id, kNoLimit);
  if (!first) {
    if (open->second == kNoLimit) open->second = to_.reserve();
    return open->second;
  }
  const SchemaNode node = content((*from_)[id]);
  SchemaId result = open_[id];
  if (result == kNoLimit) {
    result = to_.node(node);
  } else {
    to_.set(result, node);
  }
  open_.erase(id);
  copied_[id] = result;
  return result;
}

SchemaNode PackCopy::content(const SchemaNode& node) {
  SchemaNode result = node;
  result.properties = properties(node);
  result.required = texts(node.required);
  result.enum_values = texts(node.enum_values);
  result.list_keys = texts(node.list_keys);
  result.merge_keys = texts(node.merge_keys);
  result.all_of = ids(node.all_of);
  result.any_of = ids(node.any_of);
  result.one_of = ids(node.one_of);
  result.rules = rules(node);
  result.negated = optional(node.negated);
  result.items = optional(node.items);
  result.additional = optional(node.additional);
  result.pattern = text(node.pattern);
  result.format = text(node.format);
  result.default_value = text(node.default_value);
  result.description = text(node.description);
  return result;
}

PackRange PackCopy::texts(PackRange range) {
  std::vector<PackText> list;
  for (const PackText t : from_->texts(range)) list.push_back(text(t));
  return to_.texts(list);
}

PackRange PackCopy::ids(PackRange range) {
  std::vector<SchemaId> list;
  for (const SchemaId id : from_->ids(range)) list.push_back(copy(id));
  return to_.ids(list);
}

PackRange PackCopy::rules(const SchemaNode& node) {
  std::vector<SchemaRule> list;
  for (const SchemaRule& rule : from_->rules(node)) {
    list.push_back({text(rule.rule), text(rule.message), text(rule.message_expression),
                    text(rule.reason), text(rule.field_path), rule.optional_old_self});
  }
  return to_.rules(list);
}

PackRange PackCopy::properties(const SchemaNode& node) {
  std::vector<SchemaProperty> list;
  for (const SchemaProperty& p : from_->properties(node)) {
    list.push_back({text(p.name), copy(p.schema)});
  }
  return to_.properties(std::move(list));
}

}  // namespace trainyard
