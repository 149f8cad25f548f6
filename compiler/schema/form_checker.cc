#include "schema/form_checker.h"

#include "schema/walk.h"

namespace trainyard {

struct FormChecker::State {
  explicit State(const SchemaPack& pack) : rules(pack) {}

  Patterns patterns;
  FieldCache fields;
  Rules rules;
  std::vector<Violation> violations;
};

FormChecker::FormChecker(const SchemaPack& pack)
    : pack_(&pack), state_(std::make_unique<State>(pack)) {}
FormChecker::~FormChecker() = default;

bool FormChecker::is_sound(const SchemaKind& kind, const Tree& tree, NodeId root, NodeBits& ruled) {
  state_->violations.clear();
  Walk walk(*pack_, state_->patterns, state_->fields, state_->rules, tree, {}, state_->violations);
  walk.note_ruled(ruled);
  walk.whole_object(kind, root);
  return state_->violations.empty();
}

bool FormChecker::is_still_sound(const SchemaKind& kind, const Tree& tree, NodeId root,
                                 const NodeBits& open) {
  state_->violations.clear();
  Walk walk(*pack_, state_->patterns, state_->fields, state_->rules, tree, {}, state_->violations);
  walk.look_only_at(open);
  walk.whole_object(kind, root);
  return state_->violations.empty();
}

}  // namespace trainyard
