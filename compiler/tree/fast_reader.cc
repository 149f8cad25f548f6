#include "tree/fast_reader.h"

#include <algorithm>

namespace trainyard {

FastReader::FastReader(const YamlInput& input)
    : input_(input), text_(input.text), nodes_(input.nodes_before), document_begin_(input.begin) {
  // Line breaks of two characters, and columns that a byte order mark moves, are left to yaml-cpp.
  const bool moved = input.begin != 0 && text_[input.begin - 1] != '\n';
  declined_ = moved || text_.find('\r', input.begin) != text_.npos;
}

// --- documents -----------------------------------------------------------------------------------

FastReader::Result FastReader::next(Tree& tree) {
  if (declined_) return Result::Declined;
  tree_ = &tree;
  for (bool found = false; !found;) {
    if (document_begin_ >= text_.size()) return Result::End;
    tree.clear();
    if (!next_document(found)) {
      declined_ = true;
      return Result::Declined;
    }
  }
  return Result::Document;
}

bool FastReader::at_marker(std::string_view marker) const {
  return text_.substr(at_, marker.size()) == marker && ends_word(at_ + marker.size());
}

/// From `document_begin_`, which is the beginning of the text or a `---`.
bool FastReader::next_document(bool& found) {
  const std::size_t nodes = nodes_;
  depth_ = 0;
  at_ = line_ = document_begin_;
  const bool marked = at_marker("---");
  if (marked) at_ += 3;
  if (!(marked ? finish_line() : start_line(at_))) return false;
  if (column_ == kEnd && !marked && at_marker("---")) {
    document_begin_ = at_;  // nothing but comments before the first mark
    return true;
  }
  if (column_ != kEnd) {
    found = true;
    if (!document(found)) {
      nodes_ = nodes;
      return false;
    }
  } else if (marked) {
    ++nodes_;  // null, and left out
    if (nodes_ > input_.limits.nodes) {
      nodes_ = nodes;
      return false;
    }
  }
  if (at_marker("...")) {
    if (!marked && !found) return false;
    at_ += 3;
    if (!finish_line()) return false;
    if (at_ < text_.size() && !at_marker("---")) return false;
  }
  document_begin_ = at_;
  return true;
}

bool FastReader::document(bool& found) {
  NodeId root = kNoNode;
  if (!block_node(kEnd, root) || column_ != kEnd) return false;
  tree_->set_root(root);
  found = true;
  return true;
}

// --- lines ---------------------------------------------------------------------------------------

/// Past the rest of a line, which has to be blank or a comment, and on to the next with content.
bool FastReader::finish_line() {
  const std::size_t begin = at_;
  skip_spaces();
  if (here() == '#' && at_ > begin) at_ = std::min(text_.find('\n', at_), text_.size());
  return next_line();
}

/// From a line break on to the first character of the next line with content.
bool FastReader::next_line() {
  if (at_ < text_.size()) return here() == '\n' && start_line(at_ + 1);
  column_ = kEnd;
  return true;
}

/// The same for the line that begins at `at`.
bool FastReader::start_line(std::size_t at) {
  const std::size_t size = text_.size();
  while (at < size) {
    line_ = at;
    while (at < size && text_[at] == ' ') ++at;
    if (at == size) break;
    if (text_[at] == '#') at = std::min(text_.find('\n', at), size);
    if (at == size) break;
    if (text_[at] == '\n') {
      ++at;
      continue;
    }
    at_ = at;
    column_ = static_cast<long>(at - line_);
    const bool maybe_marker = column_ == 0 && (text_[at] == '-' || text_[at] == '.');
    if (maybe_marker && (at_marker("---") || at_marker("..."))) column_ = kEnd;
    return text_[at] != '\t';
  }
  at_ = size;
  column_ = kEnd;
  return true;
}

// --- building ------------------------------------------------------------------------------------

Span FastReader::span(std::size_t begin, std::size_t end) const {
  return {input_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

bool FastReader::add(Kind kind, Style style, std::size_t begin, NodeId& node) {
  if (++nodes_ > input_.limits.nodes) return false;
  node = tree_->add(kind);
  Node& added = (*tree_)[node];
  added.style = style;
  added.span = span(begin, begin);
  return true;
}

/// A collection; its end is set when it is known.
bool FastReader::open(Kind kind, Style style, std::size_t begin, NodeId& node) {
  constexpr std::size_t kMaxDepth = 256;  // each level is a few calls
  if (depth_ >= std::min(input_.limits.depth, kMaxDepth)) return false;
  ++depth_;
  return add(kind, style, begin, node);
}

bool FastReader::add_entry(NodeId map, KeySet& keys, const Scalar& key, std::string_view name,
                           NodeId child) {
  if (!keys.add(*tree_, map, name)) return false;
  Node& entry = (*tree_)[child];
  entry.key_span = span(key.begin, key.end);
  (*tree_)[map].span.end = entry.span.end;
  tree_->append(map, name, child);
  return true;
}

void FastReader::add_item(NodeId list, NodeId child) {
  (*tree_)[list].span.end = (*tree_)[child].span.end;
  tree_->append(list, child);
}

}  // namespace trainyard
