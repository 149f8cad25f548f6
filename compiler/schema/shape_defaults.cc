#include "schema/property.h"
#include "schema/shape_walk.h"
#include "schema/type_words.h"
#include "schema/walk.h"

// The API server fills in defaults before it validates. Nothing is copied here for it: what reads a
// field asks for its default when it is left out. Here a default meets an alternative of the
// schema, and in RuleWalk a rule about changes, which its own schema does not know.
// kubernetes/apiextensions-apiserver pkg/apiserver/schema/defaulting/algorithm.go

namespace trainyard {

/// What an alternative of the schema asks of fields that are left out, and have a default.
void ShapeWalk::restricted_defaults(const SchemaNode& restriction, const Frame& at, Mode mode) {
  if (at.schema == nullptr || restriction.properties.count == 0) return;
  const SchemaPack& pack = subject_.pack;
  RuleDefaults& defaults = tools_.rules.defaults();
  for (const SchemaProperty& each : pack.properties(restriction)) {
    const std::string_view name = pack.text(each.name);
    if (!is_left_out(subject_.tree, at.node, name)) continue;
    const SchemaProperty* property = find_property(pack, *at.schema, name);
    if (property == nullptr) continue;
    const NodeId standard = defaults.node(*property);
    if (standard == kNoNode) continue;
    const Frame place{nullptr, standard, kNoLimit, &pack[property->schema]};
    const auto violations = Walk(pack, tools_, defaults.tree()).value(each.schema, place, mode);
    if (violations.empty()) continue;
    Violation* found = subject_.fail(violations[0].kind, at);
    if (found == nullptr) return;
    append_key(name, found->path);
    found->message = "the default of " + shown(name) + ": " + violations[0].message;
  }
}

}  // namespace trainyard
