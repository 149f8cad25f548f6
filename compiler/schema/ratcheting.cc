#include "schema/ratcheting.h"

#include <algorithm>

#include "schema/old_value_match.h"

// An invalid value in a custom resource that an update does not change may stay (feature
// `CRDValidationRatcheting`, on since Kubernetes 1.30). That goes for whatever keywords of the
// structural schema say of a value, and for rules that do not ask for `oldSelf`; not for
// alternatives, where the server compares the whole value, nor for unknown fields, the heads of
// embedded objects and the replicas that the subresource `scale` reads.
// kubernetes/apiextensions-apiserver pkg/apiserver/validation/ratcheting.go,
// pkg/apiserver/schema/cel/validation.go, pkg/registry/customresource/strategy.go

namespace trainyard {
namespace {

bool may_stay(const Violation& each) {
  if (each.severity != Severity::Error || each.firm) return false;
  switch (each.kind) {
    case DiagnosticKind::UnknownField:
    case DiagnosticKind::DuplicateItem:  // see let_duplicates_stay
    case DiagnosticKind::CelRule:        // see RuleWalk::ask
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
           "the API server accepts it, because it is unchanged (ratcheting validation); it would "
           "refuse it in a new object, or changed to another wrong value");
}

bool Ratcheting::let_stay_since(std::size_t from, const Frame& at) {
  if (!old_.document().ratchets) return false;
  std::vector<Violation>& all = subject_.findings.violations;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
  if (std::none_of(begin, all.end(), may_stay) || !is_kept(at)) return false;
  for (auto each = begin; each != all.end(); ++each) {
    if (may_stay(*each)) let_stay(*each);
  }
  return true;
}

bool Ratcheting::is_kept(const Frame& at) {
  if (!old_.document().ratchets) return false;
  // The whole object never is, because nothing describes its metadata.
  for (const Frame* place = &at; place->up != nullptr; place = place->up) {
    const bool head = place->up->up == nullptr && is_head_field(subject_.tree[place->node].key);
    if (head) return false;
    const NodeId before = place->schema == nullptr ? kNoNode : old_.value(*place);
    if (before == kNoNode) continue;
    const auto [known, is_new] = kept_.try_emplace(place->node, false);
    if (is_new) {
      const bool standard = (before & RuleDefaults::kMark) != 0;
      const OldValueMatch::Place old{standard ? &defaults_.tree() : old_.document().tree,
                                     before & ~RuleDefaults::kMark};
      known->second = OldValueMatch(subject_.pack, defaults_)
                          .same(subject_.id_of(*place->schema), {&subject_.tree, place->node}, old);
    }
    return known->second;
  }
  return false;
}

bool has_refused_duplicate(const std::vector<Violation>& violations) {
  return std::ranges::any_of(violations, is_refused_duplicate);
}

void let_duplicates_stay(std::vector<Violation>& violations) {
  for (Violation& each : violations) {
    if (!is_refused_duplicate(each)) continue;
    each.severity = Severity::Warning;
    add_note(each,
             "the API server lets it be, because there are such items in the old object; it would "
             "refuse it in a new one");
  }
}

}  // namespace trainyard
