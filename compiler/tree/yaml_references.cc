// Anchors, aliases and merge keys.

#include <algorithm>

#include "tree/yaml_builder.h"

namespace trainyard {

void YamlBuilder::OnAnchor(const YAML::Mark&, const std::string& name) {
  anchor_names_.push_back(name);
}

void YamlBuilder::define(YAML::anchor_t anchor, NodeId node) {
  if (anchor == 0) return;
  if (anchors_.size() <= anchor) anchors_.resize(anchor + 1, kNoNode);
  anchors_[anchor] = node;
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  ++events_;
  const std::size_t at = offset(mark);
  const Span where = span(at, text_.word_end(at));
  last_end_ = std::max<std::size_t>(last_end_, where.end);
  const NodeId target = anchor < anchors_.size() ? anchors_[anchor] : kNoNode;
  if (target == kNoNode) {
    sink_
        .report(DiagnosticKind::UndefinedAlias, where,
                "the alias `" + std::string(input_.text.substr(at, where.size())) +
                    "` stands inside of what it refers to")
        .at(path());
  }
  if (key_expected()) return take_alias_key(target, where);
  const NodeId copy =
      target == kNoNode ? add_node(Kind::Null, where) : expand(target, frames_.size(), where);
  attach(copy);
  // The value keeps the place of the anchored text, which lies before; go on after the alias.
  if (!frames_.empty()) {
    Frame& frame = frames_.back();
    frame.last_end = std::max<std::size_t>(frame.last_end, where.end);
  }
}

/// A copy that shares its texts with the original. `depth` is the number of collections around it.
NodeId YamlBuilder::expand(NodeId target, std::size_t depth, Span alias) {
  count_node(alias);
  Node node = tree_[target];
  if (!node.is_scalar() && depth >= input_.limits.depth) {
    sink_.report(DiagnosticKind::TooDeep, alias,
                 "with this alias expanded, collections are nested deeper than " +
                     std::to_string(input_.limits.depth) + " levels");
    throw StopReading();
  }
  const NodeId first = node.first;
  node.first = node.last = node.next = kNoNode;
  node.size = 0;
  const NodeId result = tree_.add(node.kind);
  tree_[result] = node;
  for (NodeId child = first; child != kNoNode; child = tree_[child].next) {
    tree_.append(result, expand(child, depth + 1, alias));
  }
  return result;
}

void YamlBuilder::merge_map(Frame& frame, NodeId source, std::vector<NodeId>& merged) {
  if (!tree_[source].is_map()) {
    sink_
        .report(DiagnosticKind::BadMergeKey, tree_[source].span,
                "a merge key takes a map or a list of maps, not " +
                    word_with_article(tree_[source].kind))
        .also(frame.merge_key, "merged here");
    return;
  }
  for (NodeId next = tree_[source].first; next != kNoNode;) {
    const NodeId entry = next;
    next = tree_[entry].next;
    if (find_key(frame, tree_[entry].key) != kNoNode) continue;
    tree_.append(frame.node, entry);
    note_key(frame, entry);
    merged.push_back(entry);
  }
}

/// Moves the entries of the merged maps to where the merge key stood. What the map says itself
/// wins, whether it stands before or after; of the merged maps, the earlier one.
void YamlBuilder::close_merge(Frame& frame) {
  if (frame.merge == kNoNode) return;
  std::vector<NodeId> own;
  for (NodeId child : tree_.children(frame.node)) own.push_back(child);
  std::vector<NodeId> merged;
  if (tree_[frame.merge].is_seq()) {
    for (NodeId next = tree_[frame.merge].first; next != kNoNode;) {
      const NodeId source = next;
      next = tree_[source].next;
      merge_map(frame, source, merged);
    }
  } else {
    merge_map(frame, frame.merge, merged);
  }
  const auto before = std::find(own.begin(), own.end(), frame.before_merge);
  own.insert(before == own.end() ? own.begin() : before + 1, merged.begin(), merged.end());
  tree_.reorder(frame.node, own);
}

}  // namespace trainyard
