#include <algorithm>
#include <utility>
#include <vector>

#include "diag/suggest.h"
#include "schema/field_below.h"
#include "schema/type_words.h"
#include "schema/walk.h"
#include "schema/zero_values.h"

namespace trainyard {
namespace {

/// What the server finds while it reads an object, before it drops the status.
bool is_found_in_reading(DiagnosticKind kind) {
  switch (kind) {
    case DiagnosticKind::UnknownField:
    case DiagnosticKind::WrongType:
    case DiagnosticKind::BadQuantity:
    case DiagnosticKind::OutOfRange:
    case DiagnosticKind::BadFormat:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Walk::object(const SchemaNode& schema, const Frame& at, Mode mode) {
  const NodeId twin = std::exchange(twin_, kNoNode);
  if (mode.structural && (schema.flags & kEmbeddedResource)) {
    in_head_ = true;
    object_head(schema, at, {true, true, why_not_path_segment});
    in_head_ = false;
  }
  if (schema.required.count != 0 && !mode.partial) required(schema, at);
  property_count(schema, at);
  const bool closed =
      mode.structural && (schema.flags & kClosed) && !(schema.flags & kPreserveUnknown);
  if (!closed && schema.properties.count == 0 && schema.additional == kNoLimit) return;
  const bool has_head = mode.structural && (mode.root || (schema.flags & kEmbeddedResource));
  const bool drops_status = mode.root && (has_status_ || is_builtin_);
  const bool is_whole = mode.root;
  mode.root = false;
  NodeId sound = kNoNode;  // an entry under the schema for all that nothing is said about
  for (NodeId child : tree_.children(at.node)) {
    const std::string_view key = tree_[child].key;
    SchemaId wanted = fields_.find(pack_, schema, key);
    const bool is_additional = wanted == kNoLimit;
    if (is_additional) wanted = schema.additional;
    if (wanted == kNoLimit) {
      const Frame below{&at, child, kNoLimit, nullptr};
      if (closed && !(has_head && is_head_field(key))) unknown_field(schema, below);
      continue;
    }
    if (takes(wanted, child)) continue;
    if (has_head && key == "metadata" && pack_[wanted].properties.count == 0) continue;
    const SchemaNode* owner = mode.structural ? &pack_[wanted] : property_of(at.schema, key);
    const Frame below{&at, child, kNoLimit, owner};
    if (drops_status && key == "status") {
      status(pack_[wanted], below, mode);
    } else if (is_additional && tree_[child].is_map()) {
      const std::size_t before = violations_.size();
      const std::size_t asked = rules_asked_;
      twin_ = sound;
      part(wanted, below, mode);
      twin_ = kNoNode;
      if (is_sound_alone(before, asked)) sound = child;
    } else if (twin != kNoNode && tree_[child].is_map() && is_as_in(twin, child)) {
      continue;
    } else if (is_whole && key == "metadata") {
      own_metadata(wanted, below, mode);
    } else {
      part(wanted, below, mode);
    }
  }
  if (!mode.structural) restricted_defaults(schema, at, mode);
  if (mode.structural && old_.tree != nullptr) changed_defaults(schema, at);
}

/// Whether nothing was found since there were as many violations, and nothing was asked that counts
/// beyond the value: neither the old object nor the budget of rules. What the entry beside it has
/// in common with it, such as the same template for another role, is as good.
bool Walk::is_sound_alone(std::size_t violations, std::size_t rules_asked) const {
  return violations_.size() == violations && rules_asked_ == rules_asked && !quiet_ &&
         old_.tree == nullptr;
}

/// Whether the map `twin` has the entry `child`, too.
bool Walk::is_as_in(NodeId twin, NodeId child) const {
  const NodeId other = tree_.find(twin, tree_[child].key);
  return other != kNoNode && equal(tree_, other, tree_, child);
}

/// What a request that is not about the status says of it is dropped before it is validated; only
/// unknown fields are noticed, when it is decoded.
/// kubernetes/apiextensions-apiserver pkg/registry/customresource/strategy.go
void Walk::status(const SchemaNode& schema, const Frame& at, Mode mode) {
  const std::size_t before = violations_.size();
  if (is_builtin_) {
    value(id_of(schema), at, mode);
  } else if (type_fits(schema, tree_[at.node])) {
    typed_value(schema, at, mode);
  }
  if (!is_builtin_) {
    for (std::size_t i = before; i < violations_.size(); ++i) map_in_status(violations_[i]);
  }
  const auto dropped = [this](const Violation& each) {
    return is_builtin_ ? !is_found_in_reading(each.kind)
                       : each.kind != DiagnosticKind::UnknownField;
  };
  violations_.erase(std::remove_if(violations_.begin() + static_cast<std::ptrdiff_t>(before),
                                   violations_.end(), dropped),
                    violations_.end());
}

/// A map where a text or a list is wanted: whatever is in it is a field that nobody knows.
void Walk::map_in_status(Violation& violation) const {
  const Node& node = tree_[violation.node];
  if (violation.kind != DiagnosticKind::WrongType || !node.is_map() || node.size == 0) return;
  const NodeId first = *tree_.children(violation.node).begin();
  violation.kind = DiagnosticKind::UnknownField;
  violation.node = first;
  violation.at_key = true;
  append_key(tree_[first].key, violation.path);
  violation.message = "unknown field " + shown(tree_[first].key) + ": " + violation.message;
}

/// The structural schema of an entry; nothing when none is known.
const SchemaNode* Walk::property_of(const SchemaNode* schema, std::string_view key) const {
  if (schema == nullptr) return nullptr;
  const SchemaId id = pack_.property(*schema, key).value_or(schema->additional);
  return id == kNoLimit ? nullptr : &pack_[id];
}

void Walk::unknown_field(const SchemaNode& schema, const Frame& at) {
  Violation* found = fail(DiagnosticKind::UnknownField, at);
  if (found == nullptr) return;
  const std::string_view key = tree_[at.node].key;
  found->at_key = true;
  found->message = "unknown field " + shown(key);
  note_older(*found, at);
  constexpr std::uint32_t kFewEntries = 100;  // a search through more costs too much
  const bool has_few = tree_[at.up->node].size <= kFewEntries;
  std::vector<std::string_view> names;
  for (const SchemaProperty& each : pack_.properties(schema)) {
    const std::string_view name = pack_.text(each.name);
    // A field that is there already is not what was meant.
    if (!has_few || tree_.find(at.up->node, name) == kNoNode) names.push_back(name);
  }
  const std::string_view start = key.substr(0, key.find(':'));  // `{name:a}` is one word
  if (start.size() < key.size() && std::ranges::find(names, start) != names.end()) {
    found->message += ": a space is missing after the colon of " + shown(start);
    return;
  }
  found->suggestion = suggest(key, names).value_or("");
  if (!found->suggestion.empty()) {
    found->message += ": did you mean " + shown(found->suggestion) + "?";
    return;
  }
  // Often only the indentation is wrong.
  for (const Frame* above = at.up->up; above != nullptr; above = above->up) {
    if (above->schema == nullptr || !pack_.property(*above->schema, key)) continue;
    const std::string path = path_of(tree_, *above);
    found->message += ": it is a field of " + (path.empty() ? "the whole document" : shown(path));
    return;
  }
  const std::string below =
      field_below(pack_, tree_, at.up->node, schema, path_of(tree_, *at.up), key,
                  [&](const SchemaNode& each) { return type_fits(each, tree_[at.node]); });
  if (!below.empty()) {
    found->message += ": it is a field of " + shown(below);
    return;
  }
  if (names.empty()) return;
  if (pack_.properties(schema).size() <= 8) {
    const std::vector<std::string> words(names.begin(), names.end());
    found->message +=
        ", " + std::string(words.size() == 1 ? "known is " : "known are ") + listed(words, "and");
  }
}

bool Walk::is_present(const SchemaNode& schema, const Frame& at, std::string_view name) const {
  const NodeId child = tree_.find(at.node, name);
  if (child != kNoNode && tree_[child].kind != Kind::Null) return true;
  // Inside a combination the structural schema of the place knows more than the alternative.
  for (const SchemaNode* each : {&schema, at.schema}) {
    if (each == nullptr) continue;
    const auto property = pack_.property(*each, name);
    if (!property) continue;
    const SchemaNode& wanted = pack_[*property];
    if (wanted.default_value.size != 0) return true;
    if (child != kNoNode && (*property == kAnySchema || (wanted.flags & kNullable))) return true;
  }
  return false;
}

void Walk::required(const SchemaNode& schema, const Frame& at) {
  std::size_t missing = 0;
  for (PackText name : pack_.texts(schema.required)) {
    if (!is_present(schema, at, pack_.text(name))) ++missing;
  }
  if (missing == 0) return;
  std::vector<std::string> names;
  bool lenient = is_builtin_;
  for (PackText name : pack_.texts(schema.required)) {
    if (is_present(schema, at, pack_.text(name))) continue;
    names.emplace_back(pack_.text(name));
    lenient = lenient && is_taken_as_zero(tree_, at, group(), names.back());
  }
  Violation* found =
      lenient ? warn(DiagnosticKind::MissingField, at) : fail(DiagnosticKind::MissingField, at);
  if (found == nullptr) return;
  found->message =
      "missing " + std::string(names.size() == 1 ? "field " : "fields ") + listed(names, "and");
  if (lenient) found->message += ", which counts as empty";
}

void Walk::property_count(const SchemaNode& schema, const Frame& at) {
  const std::uint32_t least = schema.min_properties;
  const std::uint32_t most = schema.max_properties;
  if (least == 0 && most == kNoLimit) return;
  std::uint32_t count = 0;
  for (NodeId child : tree_.children(at.node)) {
    const auto property = pack_.property(schema, tree_[child].key);
    const SchemaId wanted = property.value_or(schema.additional);
    const bool dropped = tree_[child].kind == Kind::Null && wanted != kNoLimit &&
                         wanted != kAnySchema && !(pack_[wanted].flags & kNullable) &&
                         (property || pack_[wanted].default_value.size == 0);
    if (!dropped) ++count;
  }
  const SchemaNode& structure = at.schema == nullptr ? schema : *at.schema;
  for (const SchemaProperty& each : pack_.properties(structure)) {
    if (pack_[each.schema].default_value.size == 0) continue;
    const NodeId child = tree_.find(at.node, pack_.text(each.name));
    const bool replaced = child != kNoNode && tree_[child].kind == Kind::Null &&
                          !(pack_[each.schema].flags & kNullable);
    if (child == kNoNode || replaced) ++count;
  }
  if (count >= least && count <= most) return;
  if (Violation* found = fail(DiagnosticKind::BadLength, at)) {
    const bool few = count < least;
    found->message = "found " + counted(count, "entry") + ", wanted at " +
                     (few ? "least " : "most ") + std::to_string(few ? least : most);
  }
}

}  // namespace trainyard
