#include "schema/replicas_check.h"

#include <algorithm>
#include <deque>

#include "schema/type_words.h"
#include "schema/value_equal.h"
#include "tree/scalar.h"

namespace trainyard {

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

}  // namespace trainyard
