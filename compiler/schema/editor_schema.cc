#include "schema/editor_schema.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "schema/type_words.h"

namespace trainyard {
namespace {

using nlohmann::json;

constexpr const char* kQuantityPattern =
    "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$";

class Exporter {
 public:
  Exporter(const SchemaPack& pack, const SchemaKind& kind) : pack_(pack), kind_(kind) {}
  json document();

 private:
  // Below a partial schema the same node means something else: nothing is required.
  using Key = std::pair<SchemaId, bool>;

  void count(SchemaId id, bool partial);
  template <class Visit>
  void each_below(const SchemaNode& node, Visit visit) const;
  json reference(SchemaId id, bool partial);
  json schema(SchemaId id, bool partial);
  void types(const SchemaNode& node, json& out) const;
  void object(const SchemaNode& node, bool partial, json& out);
  void numbers(const SchemaNode& node, json& out) const;
  void lengths(const SchemaNode& node, json& out) const;
  void words(const SchemaNode& node, json& out) const;
  void combinations(const SchemaNode& node, bool partial, json& out);
  void embedded_head(json& out) const;
  json list_of(PackRange ids, bool partial);

  const SchemaPack& pack_;
  const SchemaKind& kind_;
  std::map<Key, int> uses_;
  std::map<Key, std::string> names_;
  std::map<std::string, Key> pending_;
};

template <class Visit>
void Exporter::each_below(const SchemaNode& node, Visit visit) const {
  for (const SchemaProperty& each : pack_.properties(node)) visit(each.schema);
  for (PackRange range : {node.all_of, node.any_of, node.one_of}) {
    for (SchemaId each : pack_.ids(range)) visit(each);
  }
  for (SchemaId each : {node.items, node.additional, node.negated}) {
    if (each != kNoLimit) visit(each);
  }
}

void Exporter::count(SchemaId id, bool partial) {
  partial = partial || (pack_[id].flags & kPartial);
  if (uses_[{id, partial}]++ > 0) return;
  each_below(pack_[id], [&](SchemaId each) { count(each, partial); });
}

/// A schema in place, or a reference when it is used more than once and not tiny.
json Exporter::reference(SchemaId id, bool partial) {
  if (id == kAnySchema) return json::object();
  const SchemaNode& node = pack_[id];
  partial = partial || (node.flags & kPartial);
  const Key key{id, partial};
  const bool small =
      node.properties.count == 0 && node.items == kNoLimit && node.additional == kNoLimit;
  if (small || uses_[key] < 2) return schema(id, partial);
  auto [found, fresh] = names_.try_emplace(key, "s" + std::to_string(names_.size() + 1));
  if (fresh) pending_[found->second] = key;
  return {{"$ref", "#/definitions/" + found->second}};
}

void Exporter::types(const SchemaNode& node, json& out) const {
  const bool nullable = node.flags & kNullable;
  if (node.flags & (kQuantity | kIntOrString)) {
    json choices = json::array();
    const bool any_number = (node.flags & kQuantity) && !(node.flags & kIntOrString);
    choices.push_back({{"type", any_number ? "number" : "integer"}});
    json text = {{"type", "string"}};
    if (node.flags & kQuantity) text["pattern"] = kQuantityPattern;
    choices.push_back(text);
    if (nullable) choices.push_back({{"type", "null"}});
    out["anyOf"] = choices;
    return;
  }
  if (node.types == 0) return;
  json names = json::array();
  constexpr std::pair<SchemaType, const char*> kNames[] = {
      {kObject, "object"},   {kArray, "array"},   {kString, "string"},
      {kInteger, "integer"}, {kNumber, "number"}, {kBoolean, "boolean"}};
  for (const auto& [bit, name] : kNames) {
    if (node.types & bit) names.push_back(name);
  }
  if (nullable) names.push_back("null");
  out["type"] = names.size() == 1 ? names[0] : names;
}

/// What every object has, where the schema of an embedded object leaves it out.
void Exporter::embedded_head(json& out) const {
  for (const char* key : {"apiVersion", "kind", "metadata"}) {
    const bool missing = !out["properties"].contains(key);
    if (missing) out["properties"][key] = json{{"type", key[0] == 'm' ? "object" : "string"}};
  }
}

void Exporter::object(const SchemaNode& node, bool partial, json& out) {
  for (const SchemaProperty& each : pack_.properties(node)) {
    out["properties"][std::string(pack_.text(each.name))] = reference(each.schema, partial);
  }
  if (node.flags & kEmbeddedResource) embedded_head(out);
  if (node.additional != kNoLimit) {
    out["additionalProperties"] = reference(node.additional, partial);
  } else if ((node.flags & kClosed) && !(node.flags & kPreserveUnknown)) {
    out["additionalProperties"] = false;
  }
  if (partial) return;
  for (PackText each : pack_.texts(node.required)) {
    // The server fills in a default before it looks whether the field is there.
    const auto property = pack_.property(node, pack_.text(each));
    const bool has_default = property && pack_[*property].default_value.size != 0;
    if (!has_default) out["required"].push_back(std::string(pack_.text(each)));
  }
}

void Exporter::numbers(const SchemaNode& node, json& out) const {
  const auto number = [](double value) { return json::parse(number_text(value)); };
  if (node.flags & kHasMinimum) {
    out[(node.flags & kExclusiveMinimum) ? "exclusiveMinimum" : "minimum"] = number(node.minimum);
  }
  if (node.flags & kHasMaximum) {
    out[(node.flags & kExclusiveMaximum) ? "exclusiveMaximum" : "maximum"] = number(node.maximum);
  }
  if (node.multiple_of != 0) out["multipleOf"] = number(node.multiple_of);
}

void Exporter::lengths(const SchemaNode& node, json& out) const {
  if (node.min_length != 0) out["minLength"] = node.min_length;
  if (node.max_length != kNoLimit) out["maxLength"] = node.max_length;
  if (node.min_items != 0) out["minItems"] = node.min_items;
  if (node.max_items != kNoLimit) out["maxItems"] = node.max_items;
  if (node.min_properties != 0) out["minProperties"] = node.min_properties;
  if (node.max_properties != kNoLimit) out["maxProperties"] = node.max_properties;
  if ((node.flags & kUniqueItems) || node.list_type == ListType::Set) out["uniqueItems"] = true;
}

void Exporter::words(const SchemaNode& node, json& out) const {
  if (node.description.size != 0) out["description"] = std::string(pack_.text(node.description));
  if (node.pattern.size != 0 && !(node.flags & kQuantity)) {
    out["pattern"] = std::string(pack_.text(node.pattern));
  }
  if (node.default_value.size != 0) {
    out["default"] = json::parse(pack_.text(node.default_value), nullptr, false);
  }
  for (PackText each : pack_.texts(node.enum_values)) {
    out["enum"].push_back(json::parse(pack_.text(each), nullptr, false));
  }
  const std::string_view format = pack_.text(node.format);
  for (std::string_view known : {"date-time", "date", "email", "hostname", "ipv4", "ipv6", "uri"}) {
    if (format == known) out["format"] = std::string(format);
  }
}

json Exporter::list_of(PackRange ids, bool partial) {
  json result = json::array();
  for (SchemaId each : pack_.ids(ids)) result.push_back(reference(each, partial));
  return result;
}

void Exporter::combinations(const SchemaNode& node, bool partial, json& out) {
  json all = json::array();
  if (node.all_of.count != 0) all = list_of(node.all_of, partial);
  if (!partial && node.any_of.count != 0) {
    // `anyOf` is taken where a type is a choice; a second one needs an `allOf` around it.
    json choice = {{"anyOf", list_of(node.any_of, partial)}};
    if (out.contains("anyOf")) {
      all.push_back(choice);
    } else {
      out["anyOf"] = choice["anyOf"];
    }
  }
  if (!partial && node.one_of.count != 0) out["oneOf"] = list_of(node.one_of, partial);
  if (!partial && node.negated != kNoLimit) out["not"] = reference(node.negated, partial);
  if (!all.empty()) out["allOf"] = all;
}

json Exporter::schema(SchemaId id, bool partial) {
  const SchemaNode& node = pack_[id];
  json out = json::object();
  types(node, out);
  object(node, partial, out);
  if (node.items != kNoLimit) out["items"] = reference(node.items, partial);
  numbers(node, out);
  lengths(node, out);
  words(node, out);
  combinations(node, partial, out);
  return out;
}

json Exporter::document() {
  count(kind_.schema, false);
  json out = schema(kind_.schema, pack_[kind_.schema].flags & kPartial);
  out["$schema"] = "http://json-schema.org/draft-07/schema#";
  out["title"] = std::string(pack_.text(kind_.kind));
  const std::string_view group = pack_.text(kind_.group);
  const std::string api_version =
      std::string(group) + (group.empty() ? "" : "/") + std::string(pack_.text(kind_.version));
  embedded_head(out);
  out["properties"]["apiVersion"] = {{"type", "string"}, {"enum", {api_version}}};
  out["properties"]["kind"] = {{"type", "string"}, {"enum", {std::string(pack_.text(kind_.kind))}}};
  json& metadata = out["properties"]["metadata"];
  const bool open = metadata.is_object() && !metadata.contains("properties");
  if (open) metadata.erase("additionalProperties");
  while (!pending_.empty()) {
    const auto [name, key] = *pending_.begin();
    pending_.erase(pending_.begin());
    out["definitions"][name] = schema(key.first, key.second);
  }
  return out;
}

}  // namespace

std::string editor_schema(const SchemaPack& pack, const SchemaKind& kind) {
  return Exporter(pack, kind).document().dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace trainyard
