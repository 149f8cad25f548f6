#include "tree/fast_reader.h"

#include <algorithm>

#include "source/text_scan.h"

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

/// Past a comment and on to the next line.
bool FastReader::finish_comment() {
  at_ = std::min(text_.find('\n', at_), text_.size());
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
    at = after_spaces(text_, at);
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

}  // namespace trainyard
