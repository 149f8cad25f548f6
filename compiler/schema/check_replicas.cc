#include <algorithm>
#include <deque>

#include "schema/type_words.h"
#include "schema/walk.h"
#include "tree/scalar.h"

namespace trainyard {

/// The number of replicas that the subresource `scale` of a custom resource reads: the server wants
/// one that fits there, whatever the schema says.
/// kubernetes/apiextensions-apiserver pkg/registry/customresource/validator.go
void Walk::replicas(std::string_view path, NodeId root) {
  std::deque<Frame> frames;  // their addresses stay
  frames.push_back({nullptr, root, kNoLimit, nullptr});
  if (path.starts_with('.')) path.remove_prefix(1);
  while (!path.empty()) {
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(step.size() + 1, path.size()));
    const NodeId above = frames.back().node;
    const NodeId child = tree_[above].is_map() ? tree_.find(above, step) : kNoNode;
    if (child == kNoNode) return;
    frames.push_back({&frames.back(), child, kNoLimit, nullptr});
  }
  const Node& node = tree_[frames.back().node];
  if (node.kind != Kind::Int) return;  // its schema says so
  const double count = number_of(node);
  if (count >= 0 && count <= INT32_MAX) return;
  const auto same_place = [&](const Violation& each) {
    return each.node == frames.back().node && each.severity == Severity::Error;
  };
  if (std::ranges::any_of(violations_, same_place)) return;
  if (Violation* found = fail(DiagnosticKind::OutOfRange, frames.back())) {
    found->message = "found " + shown(node) + ", wanted at " +
                     (count < 0 ? "least `0`" : "most `" + std::to_string(INT32_MAX) + "`") +
                     ": the subresource `scale` of the kind reads its replicas here";
  }
}

}  // namespace trainyard
