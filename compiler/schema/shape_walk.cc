#include "schema/shape_walk.h"

#include <algorithm>

#include "schema/combination_walk.h"
#include "schema/field_check.h"
#include "schema/list_check.h"
#include "schema/metadata_walk.h"
#include "schema/rule_walk.h"
#include "schema/scalar_check.h"
#include "schema/value_type.h"

namespace trainyard {
namespace {

/// The structural schema of an entry; null when none is known.
const SchemaNode* property_of(const SchemaPack& pack, const SchemaNode* schema,
                              std::string_view key) {
  if (schema == nullptr) return nullptr;
  const SchemaId id = pack.property(*schema, key).value_or(schema->additional);
  return id == kNoLimit ? nullptr : &pack[id];
}

/// Whether the map `twin` has the entry `child`, too.
bool is_as_in(const Tree& tree, NodeId twin, NodeId child) {
  const NodeId other = tree.find(twin, tree[child].key);
  return other != kNoNode && equal(tree, other, tree, child);
}

bool is_closed(const SchemaNode& schema, Mode mode) {
  return mode.structural && !mode.open && (schema.flags & kClosed) &&
         !(schema.flags & kPreserveUnknown);
}

Mode below(Mode mode) {
  mode.root = false;
  mode.open = false;
  mode.twin = kNoNode;
  return mode;
}

}  // namespace

void ShapeWalk::value(SchemaId id, const Frame& at, Mode mode) {
  if (id == kAnySchema) return;
  const SchemaNode& schema = subject_.pack[id];
  const Node& node = subject_.tree[at.node];
  if (node.kind == Kind::Null) {
    return check_null(subject_, schema, at, !mode.structural || mode.partial);
  }
  if (schema.flags & kPartial) mode.partial = true;
  if (!type_fits(schema, node)) return report_wrong_type(subject_, schema, at);
  // What is wrong with the head of a whole object was found before.
  const std::size_t before = at.up == nullptr ? 0 : subject_.findings.size();
  typed_value(schema, at, mode);
  if (schema.rules.count == 0 || rules_ == nullptr || mode.partial) return;
  if (subject_.findings.is_sound_since(before)) rules_->ask(schema, at);
}

void ShapeWalk::typed_value(const SchemaNode& schema, const Frame& at, Mode mode) {
  switch (subject_.tree[at.node].kind) {
    case Kind::Map:
      object(schema, at, mode);
      break;
    case Kind::Seq:
      list(schema, at, mode);
      break;
    case Kind::String:
      check_text(subject_, tools_.patterns, schema, at);
      break;
    case Kind::Int:
    case Kind::Float:
      check_number(subject_, schema, at);
      break;
    default:
      break;
  }
  if (schema.enum_values.count != 0) check_enum(subject_, schema, at);
  if (has_combinations(schema)) CombinationWalk(*this).check(schema, at, mode);
}

bool ShapeWalk::matches(SchemaId id, const Frame& at, Mode mode) const {
  Findings verdict;
  verdict.wanted = Findings::Wanted::Verdict;
  ShapeWalk(subject_.with(verdict), tools_, nullptr).value(id, at, mode);
  return !verdict.failed;
}

/// A value that stands by itself: not the same value under another part of its schema.
void ShapeWalk::part(SchemaId id, const Frame& at, Mode mode) {
  const std::size_t before = subject_.findings.size();
  value(id, at, mode);
  if (subject_.findings.size() == before || !mode.ratchets || rules_ == nullptr) return;
  rules_->settle(subject_.pack[id], at, before);
}

void ShapeWalk::object(const SchemaNode& schema, const Frame& at, Mode mode) {
  if (mode.structural && (schema.flags & kEmbeddedResource)) {
    MetadataWalk(subject_, {true, true, why_not_path_segment}).head(schema, at);
  }
  if (schema.required.count != 0 && !mode.partial) check_required(subject_, schema, at);
  if (schema.min_properties != 0 || schema.max_properties != kNoLimit) {
    check_property_count(subject_, schema, at);
  }
  const bool knows_entries = schema.properties.count != 0 || schema.additional != kNoLimit;
  if (!knows_entries && !is_closed(schema, mode)) return;
  entries(schema, at, mode);
  if (!mode.structural) {
    restricted_defaults(schema, at, below(mode));
  } else if (rules_ != nullptr && !rules_->is_new()) {
    rules_->ask_of_defaults(schema, at);
  }
}

void ShapeWalk::entries(const SchemaNode& schema, const Frame& at, Mode mode) {
  const SchemaPack& pack = subject_.pack;
  const Tree& tree = subject_.tree;
  const bool closed = is_closed(schema, mode);
  const bool has_head = mode.structural && (mode.root || (schema.flags & kEmbeddedResource));
  const bool drops_status = mode.root && (subject_.is_builtin || subject_.has_status());
  const Mode inner = below(mode);
  NodeId sound = kNoNode;  // an entry under the schema for all keys without one
  for (NodeId child = tree[at.node].first; child != kNoNode; child = tree[child].next) {
    const Node& node = tree[child];
    const std::string_view key = node.key;
    SchemaId wanted = tools_.fields.find(pack, schema, key);
    const bool is_additional = wanted == kNoLimit;
    if (is_additional) wanted = schema.additional;
    if (wanted == kNoLimit) {
      const Frame place{&at, child, kNoLimit, nullptr};
      const bool known = has_head && is_head_field(key);
      if (closed && !known) report_unknown_field(subject_, schema, place);
      continue;
    }
    if (takes_any(pack[wanted], node.kind)) continue;
    if (has_head && key == "metadata" && pack[wanted].properties.count == 0) continue;
    const SchemaNode* owner = mode.structural ? &pack[wanted] : property_of(pack, at.schema, key);
    const Frame place{&at, child, kNoLimit, owner};
    if (drops_status && key == "status") {
      status(pack[wanted], place, inner);
    } else if (is_additional && node.is_map()) {
      Mode beside = inner;
      beside.twin = sound;
      if (part_alone(wanted, place, beside)) sound = child;
    } else if (mode.twin == kNoNode || !node.is_map() || !is_as_in(tree, mode.twin, child)) {
      // Of the metadata of the whole object a schema can do no more than restrict the name, and
      // that is a part for itself.
      Mode own = inner;
      if (mode.root && key == "metadata") own.ratchets = false;
      part(wanted, place, own);
    }
  }
}

/// As `part`. Whether nothing was found, and nothing was asked that counts beyond the value:
/// neither the old object nor the budget of rules. What the entry beside it has in common with it,
/// such as the same template for another role, is as good.
bool ShapeWalk::part_alone(SchemaId id, const Frame& at, Mode mode) {
  const std::size_t found = subject_.findings.size();
  const std::size_t asked = rules_ == nullptr ? 0 : rules_->asked();
  part(id, at, mode);
  return rules_ != nullptr && rules_->is_new() && rules_->asked() == asked &&
         subject_.findings.size() == found;
}

void ShapeWalk::list(const SchemaNode& schema, const Frame& at, Mode mode) {
  check_list(subject_, schema, at);
  if (schema.items == kNoLimit || schema.items == kAnySchema) return;
  const SchemaNode& wanted = subject_.pack[schema.items];
  mode.open = (schema.flags & kPreserveUnknown) != 0;
  std::uint32_t index = 0;
  for (NodeId child : subject_.tree.children(at.node)) {
    const Frame place{&at, child, index++, &wanted};
    if (!takes_any(wanted, subject_.tree[child].kind)) part(schema.items, place, mode);
  }
}

}  // namespace trainyard
