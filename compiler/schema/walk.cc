#include "schema/walk.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "schema/metadata_walk.h"
#include "schema/subject.h"
#include "schema/type_words.h"
#include "schema/value_equal.h"
#include "tree/scalar.h"

namespace trainyard {
namespace {

/// The number of replicas that the subresource `scale` of a custom resource reads, at a path such
/// as `.spec.replicas`: the server wants one that fits there, whatever the schema says.
/// kubernetes/apiextensions-apiserver pkg/registry/customresource/validator.go
void check_replicas(const Subject& subject, std::string_view path) {
  std::deque<Frame> frames;  // their addresses stay
  frames.push_back({nullptr, subject.object, kNoLimit, nullptr});
  if (path.starts_with('.')) path.remove_prefix(1);
  while (!path.empty()) {
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(step.size() + 1, path.size()));
    const NodeId above = frames.back().node;
    const NodeId child = subject.tree[above].is_map() ? subject.tree.find(above, step) : kNoNode;
    if (child == kNoNode) return;
    frames.push_back({&frames.back(), child, kNoLimit, nullptr});
  }
  const Node& node = subject.tree[frames.back().node];
  if (node.kind != Kind::Int) return;  // its schema says so
  const double count = number_of(node);
  if (count >= 0 && count <= INT32_MAX) return;
  const auto same_place = [&](const Violation& each) {
    return each.node == frames.back().node && each.severity == Severity::Error;
  };
  if (std::ranges::any_of(subject.findings.violations, same_place)) return;
  if (Violation* found = subject.fail(DiagnosticKind::OutOfRange, frames.back())) {
    found->message = "found " + shown(node) + ", wanted at " +
                     (count < 0 ? "least `0`" : "most `" + std::to_string(INT32_MAX) + "`") +
                     ": the subresource `scale` of the kind reads its replicas here";
  }
}

/// Kinds of Kubernetes are decoded into Go types, and each has its own rules for updates.
OldDocument as_ratcheted(OldDocument old, const Subject& subject) {
  old.ratchets = old.ratchets && old.tree != nullptr && !subject.is_builtin;
  return old;
}

}  // namespace

Walk::Walk(const SchemaPack& pack, const CheckTools& tools, const Tree& tree, OldDocument old)
    : tools_(tools),
      subject_(Subject::value(pack, tree, findings_)),
      old_(pack, tools.rules.defaults(), tree, old),
      ratcheting_(subject_, old_, tools.rules.defaults()),
      rules_(subject_, tools.rules, old_, ratcheting_),
      shape_(subject_, tools, &rules_) {}

Walk::Walk(const SchemaPack& pack, const CheckTools& tools, const Tree& tree, OldDocument old,
           const SchemaKind& kind, NodeId root)
    : tools_(tools),
      subject_(Subject::whole(pack, tree, findings_, kind, root)),
      old_(pack, tools.rules.defaults(), tree, as_ratcheted(old, subject_)),
      ratcheting_(subject_, old_, tools.rules.defaults()),
      rules_(subject_, tools.rules, old_, ratcheting_),
      shape_(subject_, tools, &rules_) {}

std::vector<Violation> Walk::value(SchemaId id, const Frame& at, Mode mode) {
  shape_.value(id, at, mode);
  return std::move(findings_.violations);
}

std::vector<Violation> Walk::whole_object() {
  const SchemaKind& kind = *subject_.kind;
  const SchemaNode& schema = subject_.pack[kind.schema];
  const Frame at{nullptr, subject_.object, kNoLimit, &schema};
  const bool has_head = subject_.tree[at.node].is_map() && !(schema.flags & kEmbeddedResource);
  if (has_head) MetadataWalk(subject_, MetadataRules::of(subject_.pack, kind)).head(schema, at);
  shape_.value(kind.schema, at, {.root = true});
  if (kind.replicas_path.size != 0) {
    check_replicas(subject_, subject_.pack.text(kind.replicas_path));
  }
  if (!old_.is_new()) let_duplicates_stay_as_before();
  return std::move(findings_.violations);
}

void Walk::let_duplicates_stay_as_before() {
  if (subject_.is_builtin || !has_refused_duplicate(findings_.violations)) return;
  const OldDocument& old = old_.document();
  const auto before =
      Walk(subject_.pack, tools_, *old.tree, {}, *subject_.kind, old.root).whole_object();
  if (has_refused_duplicate(before)) let_duplicates_stay(findings_.violations);
}

}  // namespace trainyard
