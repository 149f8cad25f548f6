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
  form.head.assign(tree.size(), HeadPart::None);
  for (NodeId id = 0; id < tree.size(); ++id) {
    for (NodeId child : tree.children(id)) form.parents[child] = id;
  }
}

namespace {

/// The rules for heads of objects, asked of what is new in one.
class Head {
 public:
  explicit Head(const SoundForm& form) : form_(form) {}

  /// Whether a text surely is right as far as they go.
  bool takes(NodeId id, std::string_view text) {
    switch (form_.head[id]) {
      case HeadPart::None:
        return true;
      case HeadPart::Name:
        return !text.empty() && !form_.why_not_name(text);
      case HeadPart::Namespace:
        return !text.empty() && !why_not_dns_label(text);
      case HeadPart::LabelValue:
        return !why_not_label_value(text);
      case HeadPart::Annotation:
        annotations_ += text.size();
        return annotations_ <= form_.annotation_room;
    }
    return false;
  }

 private:
  const SoundForm& form_;
  std::size_t annotations_ = 0;  // bytes of those that are new
};

}  // namespace

void FormChecker::judge(const SchemaKind* kind, const Tree& tree, const NodeBits& different,
                        const SoundForm& form, Walk& walk) {
  looked_at_ = form.ruled;
  Head head(form);
  different.each([&](NodeId id) {
    if (!tree[id].is_scalar()) return;
    const SchemaId schema = form.judges[id];
    if (schema != kNoLimit && !form.ruled.has(id) && head.takes(id, tree[id].text)) {
      return walk.scalar(kind, schema, id);
    }
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
  // Where the replicas are is said of the kind, not in its schema.
  if (looked_at_.has(root) || kind.replicas_path.size != 0) walk.whole_object(kind, root);
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
