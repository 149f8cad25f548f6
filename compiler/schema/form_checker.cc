#include "schema/form_checker.h"

#include "schema/walk.h"

namespace trainyard {

struct FormChecker::State {
  explicit State(const SchemaPack& pack) : rules(pack) {}

  Walk walk(const SchemaPack& pack, const Tree& tree) {
    violations.clear();
    return {pack, patterns, fields, rules, tree, {}, violations};
  }

  Patterns patterns;
  FieldCache fields;
  Rules rules;
  std::vector<Violation> violations;
};

FormChecker::FormChecker(const SchemaPack& pack)
    : pack_(&pack), state_(std::make_unique<State>(pack)) {}
FormChecker::~FormChecker() = default;

void FormChecker::begin(const Tree& tree, SoundForm& form) {
  form.ruled.clear(tree.size());
  form.judges.assign(tree.size(), kNoLimit);
  form.parents.assign(tree.size(), kNoNode);
  for (NodeId id = 0; id < tree.size(); ++id) {
    for (NodeId child : tree.children(id)) form.parents[child] = id;
  }
}

void FormChecker::judge(const SchemaKind* kind, const Tree& tree, const NodeBits& different,
                        const SoundForm& form, Walk& walk) {
  looked_at_ = form.ruled;
  different.each([&](NodeId id) {
    if (!tree[id].is_scalar()) return;
    const SchemaId schema = form.judges[id];
    if (schema != kNoLimit && !form.ruled.has(id)) return walk.scalar(kind, schema, id);
    for (NodeId at = id; at != kNoNode && !looked_at_.has(at); at = form.parents[at]) {
      looked_at_.add(at);
    }
  });
  walk.look_only_at(looked_at_);
}

bool FormChecker::is_sound(const SchemaKind& kind, const Tree& tree, NodeId root, SoundForm& form) {
  begin(tree, form);
  Walk walk = state_->walk(*pack_, tree);
  walk.note_form(form);
  walk.whole_object(kind, root);
  return state_->violations.empty();
}

bool FormChecker::is_still_sound(const SchemaKind& kind, const Tree& tree, NodeId root,
                                 const NodeBits& different, const SoundForm& form) {
  Walk walk = state_->walk(*pack_, tree);
  judge(&kind, tree, different, form, walk);
  walk.whole_object(kind, root);
  return state_->violations.empty();
}

bool FormChecker::is_sound(SchemaId schema, const Tree& tree, NodeId root, SoundForm& form) {
  begin(tree, form);
  Walk walk = state_->walk(*pack_, tree);
  walk.note_form(form);
  walk.value(schema, {nullptr, root, kNoLimit, &(*pack_)[schema]}, {});
  return state_->violations.empty();
}

bool FormChecker::is_still_sound(SchemaId schema, const Tree& tree, NodeId root,
                                 const NodeBits& different, const SoundForm& form) {
  Walk walk = state_->walk(*pack_, tree);
  judge(nullptr, tree, different, form, walk);
  if (looked_at_.has(root)) {
    walk.value(schema, {nullptr, root, kNoLimit, &(*pack_)[schema]}, {});
  }
  return state_->violations.empty();
}

}  // namespace trainyard
