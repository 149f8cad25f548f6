#include "schema/schema_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <limits>

#include "diag/suggest.h"
#include "diag/words.h"
#include "schema/json_text.h"
#include "schema/rules.h"
#include "source/number_text.h"

namespace trainyard {

struct SchemaReader::Keyword {
  std::string_view name;
  void (*read)(SchemaReader& self, View value);
};

namespace {

struct TypeWord {
  std::string_view word;
  SchemaType type;
};
constexpr TypeWord kTypes[] = {{"object", kObject},   {"array", kArray},   {"string", kString},
                               {"integer", kInteger}, {"number", kNumber}, {"boolean", kBoolean}};

bool ignored(std::string_view keyword) {
  constexpr std::string_view kIgnored[] = {"$defs",    "$ref",       "definitions", "$schema",
                                           "$id",      "$comment",   "title",       "example",
                                           "examples", "deprecated", "externalDocs"};
  return keyword.starts_with("x-") || std::ranges::find(kIgnored, keyword) != std::end(kIgnored);
}

}  // namespace

const SchemaReader::Keyword* SchemaReader::find(std::string_view name) {
  using R = SchemaReader;
  using N = SchemaNode;
  static constexpr Keyword kKeywords[] = {
      {"type", [](R& r, View v) { r.type(v); }},
      {"format", [](R& r, View v) { r.format(v); }},
      {"description", [](R& r, View v) { r.string(v, &N::description); }},
      {"default", [](R& r, View v) { r.json(v, &N::default_value); }},
      {"enum", [](R& r, View v) { r.enumeration(v); }},
      {"const", [](R& r, View v) { r.constant(v); }},
      {"pattern", [](R& r, View v) { r.pattern(v); }},
      {"properties", [](R& r, View v) { r.properties(v); }},
      {"required", [](R& r, View v) { r.names(v, &N::required); }},
      {"items", [](R& r, View v) { r.items(v); }},
      {"additionalProperties", [](R& r, View v) { r.additional(v); }},
      {"allOf", [](R& r, View v) { r.schemas(v, &N::all_of); }},
      {"anyOf", [](R& r, View v) { r.schemas(v, &N::any_of); }},
      {"oneOf", [](R& r, View v) { r.schemas(v, &N::one_of); }},
      {"not", [](R& r, View v) { r.negated(v); }},
      {"minimum", [](R& r, View v) { r.bound(v, &N::minimum, kHasMinimum); }},
      {"maximum", [](R& r, View v) { r.bound(v, &N::maximum, kHasMaximum); }},
      {"exclusiveMinimum",
       [](R& r, View v) { r.exclusive(v, kHasMinimum, kExclusiveMinimum, &N::minimum); }},
      {"exclusiveMaximum",
       [](R& r, View v) { r.exclusive(v, kHasMaximum, kExclusiveMaximum, &N::maximum); }},
      {"multipleOf", [](R& r, View v) { r.number(v, &N::multiple_of); }},
      {"minLength", [](R& r, View v) { r.count(v, &N::min_length); }},
      {"maxLength", [](R& r, View v) { r.count(v, &N::max_length); }},
      {"minItems", [](R& r, View v) { r.count(v, &N::min_items); }},
      {"maxItems", [](R& r, View v) { r.count(v, &N::max_items); }},
      {"minProperties", [](R& r, View v) { r.count(v, &N::min_properties); }},
      {"maxProperties", [](R& r, View v) { r.count(v, &N::max_properties); }},
      {"uniqueItems", [](R& r, View v) { r.flag(v, kUniqueItems); }},
      {"nullable", [](R& r, View v) { r.flag(v, kNullable); }},
      {"x-kubernetes-int-or-string", [](R& r, View v) { r.flag(v, kIntOrString); }},
      {"x-kubernetes-preserve-unknown-fields", [](R& r, View v) { r.flag(v, kPreserveUnknown); }},
      {"x-kubernetes-embedded-resource", [](R& r, View v) { r.flag(v, kEmbeddedResource); }},
      {"x-kubernetes-list-type", [](R& r, View v) { r.list_type(v); }},
      {"x-kubernetes-list-map-keys", [](R& r, View v) { r.names(v, &N::list_keys); }},
      {"x-kubernetes-map-type", [](R& r, View v) { r.map_type(v); }},
      {"x-kubernetes-patch-merge-key",
       [](R& r, View v) { r.out_->merge_keys = r.tables_.texts({r.tables_.text(v.text())}); }},
      {"x-kubernetes-validations", [](R& r, View v) { r.rules(v); }},
      {"x-trainyard-partial", [](R& r, View v) { r.flag(v, kPartial); }},
      {"x-trainyard-generated", [](R& r, View v) { r.flag(v, kGenerated); }},
  };
  const auto* at = std::ranges::find(kKeywords, name, &Keyword::name);
  return at == std::end(kKeywords) ? nullptr : at;
}

void SchemaReader::bad(View at, std::string message) {
  sink_.report(DiagnosticKind::BadSchema, at ? at->span : Span{}, std::move(message));
}

void SchemaReader::read(View node, SchemaRole role, SchemaNode& out) {
  // Schemas below are read by this very reader, so its place is put back afterwards.
  const SchemaRole role_before = role_;
  SchemaNode* const out_before = out_;
  role_ = role;
  out_ = &out;
  for (const NodeId id : node.tree().children(node.id())) {
    const View value(node.tree(), id);
    if (const Keyword* keyword = find(value->key)) {
      keyword->read(*this, value);
    } else if (!ignored(value->key)) {
      unknown_keyword(value);
    }
  }
  close();
  role_ = role_before;
  out_ = out_before;
}

/// An object has the fields that its schema names and no others.
void SchemaReader::close() {
  const bool object =
      (out_->types & kObject) != 0 || out_->properties.count != 0 || out_->additional != kNoLimit;
  if ((out_->flags & kPreserveUnknown) != 0) {
    set_flag(kClosed, false);
  } else if (object && role_ == SchemaRole::Structure) {
    set_flag(kClosed, true);
  }
}

void SchemaReader::unknown_keyword(View value) {
  bad(value, "the schema has the keyword " + shown(value->key) + ", which is not known");
}

void SchemaReader::set_flag(SchemaFlag bit, bool on) {
  const unsigned flags = out_->flags;
  out_->flags = static_cast<std::uint16_t>(on ? flags | bit : flags & ~static_cast<unsigned>(bit));
}

void SchemaReader::flag(View value, SchemaFlag bit) {
  if (value->kind == Kind::Null) return;
  if (value->kind != Kind::Bool) return bad(value, shown(value->key) + " is not a boolean");
  set_flag(bit, value.text() == "true");
  if (bit == kIntOrString && value.text() == "true") out_->types = kInteger | kString;
}

void SchemaReader::count(View value, std::uint32_t SchemaNode::* field) {
  const auto number = as_int64(*value);
  if (!number || *number < 0) {
    return bad(value, shown(value->key) + " is not a number of things: " + shown(value.text()));
  }
  // A limit that no value can reach is none.
  out_->*field = static_cast<std::uint32_t>(std::min<std::int64_t>(*number, kNoLimit));
}

void SchemaReader::number(View value, double SchemaNode::* field) {
  std::string_view text = value.text();
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto parsed = read_number<double>(text);
  const bool numeric = value->kind == Kind::Int || value->kind == Kind::Float;
  if (!numeric || !parsed) {
    return bad(value, shown(value->key) + " is not a number");
  }
  out_->*field = *parsed;
}

void SchemaReader::bound(View value, double SchemaNode::* field, SchemaFlag bit) {
  number(value, field);
  set_flag(bit, true);
}

void SchemaReader::exclusive(View value, SchemaFlag has, SchemaFlag exclusive_bit,
                             double SchemaNode::* limit) {
  if (value->kind == Kind::Bool) return flag(value, exclusive_bit);  // OpenAPI 3.0
  bound(value, limit, has);                                          // JSON Schema
  set_flag(exclusive_bit, true);
}

void SchemaReader::string(View value, PackText SchemaNode::* field) {
  if (value->kind != Kind::String) return bad(value, shown(value->key) + " is not a string");
  out_->*field = tables_.text(value.text());
}

void SchemaReader::json(View value, PackText SchemaNode::* field) {
  std::string text;
  append_json(value.tree(), value.id(), text);
  out_->*field = tables_.text(text);
}

void SchemaReader::pattern(View value) {
  string(value, &SchemaNode::pattern);
  if (!patterns_.insert(out_->pattern.offset).second) return;
  const FileId file = value->span.file;
  if (budget_.is_spent(file)) return;
  const RE2 compiled(std::string(value.text()), RE2::Quiet);
  if (!compiled.ok()) {
    return bad(value, "the pattern " + shown(value.text()) + " is not one: " + compiled.error());
  }
  std::string too_much = budget_.take(file, static_cast<std::size_t>(compiled.ProgramSize()));
  if (!too_much.empty()) bad(value, std::move(too_much));
}

void SchemaReader::type(View value) {
  std::uint8_t types = 0;
  const auto take = [&](View word) {
    if (word.text() == "null") return set_flag(kNullable, true);
    const auto* at = std::ranges::find(kTypes, word.text(), &TypeWord::word);
    if (at == std::end(kTypes)) return bad(word, "there is no type " + shown(word.text()));
    types = static_cast<std::uint8_t>(types | at->type);
  };
  if (value->is_seq()) {
    for (const NodeId id : value.tree().children(value.id())) take(View(value.tree(), id));
  } else {
    take(value);
  }
  // `type: string` beside a quantity or an int-or-string is how OpenAPI says that it has a text
  // form.
  if ((out_->flags & (kIntOrString | kQuantity)) == 0) out_->types = types;
}

void SchemaReader::format(View value) {
  string(value, &SchemaNode::format);
  if (value.text() == "int-or-string") {
    set_flag(kIntOrString, true);
    out_->types = kInteger | kString;
  } else if (value.text() == "quantity") {
    set_flag(kQuantity, true);
    out_->types = kInteger | kNumber | kString;
  }
}

void SchemaReader::list_type(View value) {
  const std::string_view word = value.text();
  if (word == "atomic") {
    out_->list_type = ListType::Atomic;
  } else if (word == "set") {
    out_->list_type = ListType::Set;
  } else if (word == "map") {
    out_->list_type = ListType::Map;
  } else {
    bad(value, "there is no list type " + shown(word) + "; write `atomic`, `set` or `map`");
  }
}

void SchemaReader::map_type(View value) {
  const std::string_view word = value.text();
  if (word == "atomic") {
    out_->map_type = MapType::Atomic;
  } else if (word == "granular") {
    out_->map_type = MapType::Granular;
  } else {
    bad(value, "there is no map type " + shown(word) + "; write `atomic` or `granular`");
  }
}

void SchemaReader::names(View value, PackRange SchemaNode::* field) {
  if (!value->is_seq()) return bad(value, shown(value->key) + " is not a list");
  std::vector<PackText> list;
  for (const NodeId id : value.tree().children(value.id())) {
    const View name(value.tree(), id);
    if (name->kind == Kind::Null) continue;
    if (name->kind != Kind::String)
      bad(name, shown(value->key) + " has an item that is not a name");
    list.push_back(tables_.text(name.text()));
  }
  out_->*field = tables_.texts(list);
}

void SchemaReader::enumeration(View value) {
  if (!value->is_seq()) return bad(value, "`enum` is not a list");
  std::vector<PackText> list;
  for (const NodeId id : value.tree().children(value.id())) {
    std::string text;
    append_json(value.tree(), id, text);
    list.push_back(tables_.text(text));
  }
  out_->enum_values = tables_.texts(list);
}

void SchemaReader::constant(View value) {
  std::string text;
  append_json(value.tree(), value.id(), text);
  out_->enum_values = tables_.texts({tables_.text(text)});
}

/// Properties beside a reference are added to those of the schema referred to, or replace them.
void SchemaReader::properties(View value) {
  if (!value->is_map()) return bad(value, "`properties` is not a map");
  std::vector<SchemaProperty> list;
  for (const NodeId id : value.tree().children(value.id())) {
    const View property(value.tree(), id);
    list.push_back({tables_.text(property->key), resolver_.schema(property, role_)});
  }
  const PackRange before = out_->properties;
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const SchemaProperty& old = tables_.all_properties()[before.first + i];
    const std::string_view name = tables_.view(old.name);
    if (value.tree().find(value.id(), name) == kNoNode) list.push_back(old);
  }
  out_->properties = tables_.properties(std::move(list));
}

void SchemaReader::items(View value) {
  out_->items = resolver_.schema(value, role_);
}

void SchemaReader::additional(View value) {
  if (value->kind != Kind::Bool) {
    out_->additional = resolver_.schema(value, role_);
  } else if (value.text() == "true") {
    out_->additional = kAnySchema;
  } else {
    out_->additional = kNoLimit;
    set_flag(kClosed, true);
  }
}

void SchemaReader::negated(View value) {
  out_->negated = resolver_.schema(value, SchemaRole::Restriction);
}

void SchemaReader::schemas(View value, PackRange SchemaNode::* field) {
  if (!value->is_seq()) return bad(value, shown(value->key) + " is not a list");
  std::vector<SchemaId> list;
  for (const NodeId id : value.tree().children(value.id())) {
    list.push_back(resolver_.schema(View(value.tree(), id), SchemaRole::Restriction));
  }
  out_->*field = tables_.ids(list);
}

void SchemaReader::rules(View value) {
  if (!value->is_seq()) return bad(value, shown(value->key) + " is not a list");
  std::vector<SchemaRule> list;
  for (const NodeId id : value.tree().children(value.id())) {
    list.push_back(rule(View(value.tree(), id)));
  }
  out_->rules = tables_.rules(list);
}

SchemaRule SchemaReader::rule(View value) {
  if (!value["rule"]) bad(value, "an item of `x-kubernetes-validations` has no `rule`");
  SchemaRule rule;
  rule.rule = tables_.text(value["rule"].text());
  rule.message = tables_.text(value["message"].text());
  rule.message_expression = tables_.text(value["messageExpression"].text());
  rule.reason = tables_.text(value["reason"].text());
  rule.field_path = tables_.text(value["fieldPath"].text());
  rule.optional_old_self = value["optionalOldSelf"].text() == "true" ? 1 : 0;
  compiles(value["rule"]);
  compiles(value["messageExpression"]);
  return rule;
}

/// Says it here, once, when an expression does not compile; it will not be evaluated.
void SchemaReader::compiles(View expression) {
  if (!expression || expression->kind != Kind::String) return;
  const auto fault = rule_fault(expression.text());
  if (!fault) return;
  sink_.report(DiagnosticKind::UncheckedCel, expression->span,
               "this expression is no CEL that Kubernetes knows: " + *fault);
}

}  // namespace trainyard
