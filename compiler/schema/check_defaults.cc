#include <utility>
#include <vector>

#include "schema/type_words.h"
#include "schema/walk.h"

// The API server fills in defaults before it validates. Nothing is copied here for it: what reads a
// field asks for its default when it is left out, and these are the places where a default meets
// something that its own schema does not say.
// kubernetes/apiextensions-apiserver pkg/apiserver/schema/defaulting/algorithm.go

namespace trainyard {
namespace {

bool is_left_out(const Tree& tree, NodeId map, std::string_view name) {
  const NodeId child = tree.find(map, name);
  return child == kNoNode || tree[child].kind == Kind::Null;
}

const SchemaProperty* find_property(const SchemaPack& pack, const SchemaNode& schema,
                                    std::string_view name) {
  for (const SchemaProperty& each : pack.properties(schema)) {
    if (pack.text(each.name) == name) return &each;
  }
  return nullptr;
}

}  // namespace

/// The property of a place, when it has a default; null otherwise.
const SchemaProperty* Walk::default_of(const Frame& at) const {
  if (at.up == nullptr || at.up->schema == nullptr) return nullptr;
  const SchemaProperty* property = find_property(pack_, *at.up->schema, tree_[at.node].key);
  if (property == nullptr || pack_[property->schema].default_value.size == 0) return nullptr;
  return property;
}

/// What an alternative of the schema asks of fields that are left out, and have a default.
void Walk::restricted_defaults(const SchemaNode& restriction, const Frame& at, Mode mode) {
  if (at.schema == nullptr || restriction.properties.count == 0) return;
  for (const SchemaProperty& each : pack_.properties(restriction)) {
    const std::string_view name = pack_.text(each.name);
    if (!is_left_out(tree_, at.node, name)) continue;
    const SchemaProperty* property = find_property(pack_, *at.schema, name);
    if (property == nullptr) continue;
    const NodeId standard = rules_.defaults().node(*property);
    if (standard == kNoNode) continue;
    std::vector<Violation> violations;
    Walk walk(pack_, patterns_, fields_, rules_, rules_.defaults().tree(), {}, violations);
    const Frame place{nullptr, standard, kNoLimit, &pack_[property->schema]};
    walk.value(each.schema, place, mode);
    if (violations.empty()) continue;
    Violation* found = fail(violations[0].kind, at);
    if (found == nullptr) return;
    append_key(name, found->path);
    found->message = "the default of " + shown(name) + ": " + violations[0].message;
  }
}

/// Whether a value leaves something out that will be made up: nobody knows then what it is changed
/// to.
bool Walk::lacks_generated(const SchemaNode& schema, NodeId node) const {
  if (!tree_[node].is_map() && !tree_[node].is_seq()) return false;
  for (const SchemaProperty& each : pack_.properties(schema)) {
    const bool generated = (pack_[each.schema].flags & kGenerated) != 0;
    if (generated && is_left_out(tree_, node, pack_.text(each.name))) return true;
  }
  for (NodeId child : tree_.children(node)) {
    const SchemaId below =
        tree_[node].is_seq() ? schema.items
                             : pack_.property(schema, tree_[child].key).value_or(schema.additional);
    if (below != kNoLimit && lacks_generated(pack_[below], child)) return true;
  }
  return false;
}

/// Rules about changes of fields that are left out now: the default takes the place of the old
/// value.
void Walk::changed_defaults(const SchemaNode& schema, const Frame& at) {
  const NodeId parent = old_node(at);
  if (parent == kNoNode || quiet_) return;
  for (const SchemaProperty& each : pack_.properties(schema)) {
    const SchemaNode& wanted = pack_[each.schema];
    if (wanted.default_value.size == 0 || wanted.rules.count == 0) continue;
    const std::string_view name = pack_.text(each.name);
    if (!is_left_out(tree_, at.node, name) || is_left_out(*old_.tree, parent, name)) continue;
    const NodeId before = old_.tree->find(parent, name);
    const NodeId now = rules_.defaults().mark(each);
    for (const SchemaRule& rule : pack_.rules(wanted)) {
      if (now == kNoNode || !rules_.get(rule).compares) continue;
      RuleResult result = rule_run().evaluate(rule, each.schema, now, before);
      if (result.kind == RuleResult::Kind::Holds) continue;
      broken_rule(rule, std::move(result), false, at);
      Violation& found = violations_.back();
      append_key(name, found.path);
      found.note +=
          "; left out, it has the default " + shown(plain_json(pack_.text(wanted.default_value)));
    }
  }
}

}  // namespace trainyard
