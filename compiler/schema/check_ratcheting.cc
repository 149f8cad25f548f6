#include <algorithm>

#include "schema/walk.h"

// What was wrong in a custom resource before an update, and is what it was, may stay (feature
// `CRDValidationRatcheting`, on since Kubernetes 1.30). That goes for whatever keywords of the
// structural schema say of a value, and for rules that do not ask for `oldSelf`; not for
// alternatives, of which the server asks the value as a whole, nor for unknown fields, the heads of
// embedded objects and the replicas that the subresource `scale` reads.
// kubernetes/apiextensions-apiserver pkg/apiserver/validation/ratcheting.go,
// pkg/apiserver/schema/cel/validation.go, pkg/registry/customresource/strategy.go

namespace trainyard {
namespace {

bool may_stay(const Violation& each) {
  if (each.severity != Severity::Error || each.firm) return false;
  switch (each.kind) {
    case DiagnosticKind::UnknownField:
    case DiagnosticKind::DuplicateItem:  // see Walk::let_duplicates_be
    case DiagnosticKind::CelRule:        // see Walk::rules
    case DiagnosticKind::BadSchema:
      return false;
    default:
      return true;
  }
}

bool is_refused_duplicate(const Violation& each) {
  return each.kind == DiagnosticKind::DuplicateItem && each.severity == Severity::Error;
}

void add_note(Violation& violation, std::string_view note) {
  if (!violation.note.empty()) violation.note += "; ";
  violation.note += note;
}

}  // namespace

void let_stay(Violation& violation) {
  violation.severity = Severity::Warning;
  add_note(violation,
           "the API server lets it stay, because it is what it was before; it would refuse it in a "
           "new object, or changed to another wrong value");
}

/// The violations from `from` on are of this place and of what is below it.
void Walk::let_be(SchemaId id, const Frame& at, std::size_t from) {
  const auto begin = violations_.begin() + static_cast<std::ptrdiff_t>(from);
  if (std::none_of(begin, violations_.end(), may_stay) || !is_kept(at)) return;
  for (auto each = begin; each != violations_.end(); ++each) {
    if (may_stay(*each)) let_stay(*each);
  }
  // Its rules have waited for a value that is sound; the server does not know that it is not.
  const bool is_null = tree_[at.node].kind == Kind::Null;
  if (pack_[id].rules.count != 0 && !is_null && is_sound_since(from)) rules(pack_[id], at);
}

/// Whether a place is what it was; where it is not known what it was, whether what it is in is.
bool Walk::is_kept(const Frame& at) {
  if (!old_.ratchets) return false;
  // The whole object never is, because nothing describes its metadata.
  for (const Frame* place = &at; place->up != nullptr; place = place->up) {
    const bool head = place->up->up == nullptr && is_head_field(tree_[place->node].key);
    if (head) return false;
    const NodeId before = place->schema == nullptr ? kNoNode : old_value(*place);
    if (before == kNoNode) continue;
    const auto [known, is_new] = kept_.try_emplace(place->node, false);
    if (is_new) {
      const bool standard = (before & RuleDefaults::kMark) != 0;
      const Likeness::Place old{standard ? &rules_.defaults().tree() : old_.tree,
                                before & ~RuleDefaults::kMark};
      known->second = Likeness(pack_, rules_.defaults())
                          .same(id_of(*place->schema), {&tree_, place->node}, old);
    }
    return known->second;
  }
  return false;
}

/// The metadata of the whole object: a schema can do no more than restrict the name, and that is a
/// part for itself.
void Walk::own_metadata(SchemaId id, const Frame& at, Mode mode) {
  mode.ratchets = false;
  value(id, at, mode);
}

bool Walk::is_own_metadata(const Frame& at) const {
  return object_ != kNoNode && at.in_map() && at.up->node == object_ &&
         tree_[at.node].key == "metadata";
}

/// Items that a list has twice may stay where the old object had such items, and be it in another
/// list. That was so before Kubernetes 1.30, too.
void Walk::let_duplicates_be() {
  if (is_builtin_ || std::ranges::none_of(violations_, is_refused_duplicate)) return;
  std::vector<Violation> before;
  Walk(pack_, patterns_, fields_, rules_, *old_.tree, {}, before).whole_object(*kind_, old_.root);
  if (std::ranges::none_of(before, is_refused_duplicate)) return;
  for (Violation& each : violations_) {
    if (!is_refused_duplicate(each)) continue;
    each.severity = Severity::Warning;
    add_note(each,
             "the API server lets it be, because there are such items in the old object; it would "
             "refuse it in a new one");
  }
}

}  // namespace trainyard
