#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "tree/key_set.h"
#include "tree/tree.h"
#include "tree/yaml_input.h"

namespace trainyard {

/// Reads the part of YAML that people use in practice, many times faster than yaml-cpp: block and
/// simple flow collections, plain and quoted scalars, block texts, comments, several documents.
///
/// It accepts a document or declines it and has no messages: whatever would lead to a diagnostic is
/// declined, as is what is rare, and yaml-cpp goes on from the beginning of that document. What it
/// accepts is the very tree that yaml-cpp's events give, spans and styles included; a differential
/// fuzzer (tests/fuzz/reader_diff_fuzz.cc) holds it to that.
class FastReader {
 public:
  /// The text is UTF-8 without control characters.
  explicit FastReader(const YamlInput& input);

  enum class Result { Document, End, Declined };
  /// Reads the next document that is not empty into `tree`, in place of what it holds.
  Result next(Tree& tree);

  /// Where the document that was declined begins.
  std::size_t document_begin() const { return document_begin_; }
  /// How many values the accepted documents have.
  std::size_t nodes() const { return nodes_; }

 private:
  /// A scalar as it stands in the text.
  struct Scalar {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view text;
    Style style = Style::Plain;
  };
  static constexpr long kEnd = -1;  // the column where a document ends

  // Every function that can decline returns false to do so. A node leaves the cursor at the first
  // character of the next line with content, whose column is `column_`.

  // fast_reader.cc: documents, lines
  bool next_document(bool& found);
  bool document(bool& found);
  bool finish_line() {
    const std::size_t begin = at_;
    skip_spaces();
    return here() == '#' && at_ > begin ? finish_comment() : next_line();
  }
  bool finish_comment();
  bool next_line();
  bool start_line(std::size_t at);
  bool at_marker(std::string_view marker) const;
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char here() const { return at(at_); }
  bool ends_word(std::size_t i) const {
    return i >= text_.size() || text_[i] == ' ' || text_[i] == '\n';
  }
  void skip_spaces() {
    while (here() == ' ') ++at_;
  }
  Span span(std::size_t begin, std::size_t end) const {
    return {input_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  bool add(Kind kind, Style style, std::size_t begin, NodeId& node) {
    if (++nodes_ > input_.limits.nodes) return false;
    node = tree_->add(kind);
    Node& added = (*tree_)[node];
    added.style = style;
    added.span = span(begin, begin);
    return true;
  }
  /// A collection; its end is set when it is known.
  bool open(Kind kind, Style style, std::size_t begin, NodeId& node) {
    constexpr std::size_t kMaxDepth = 256;  // each level is a few calls
    if (depth_ >= std::min(input_.limits.depth, kMaxDepth)) return false;
    ++depth_;
    return add(kind, style, begin, node);
  }
  bool add_entry(NodeId map, KeySet& keys, const Scalar& key, std::string_view name, NodeId child) {
    if (!keys.add(*tree_, map, name)) return false;
    Node& entry = (*tree_)[child];
    entry.key_span = span(key.begin, key.end);
    (*tree_)[map].span.end = entry.span.end;
    tree_->append(map, name, child);
    return true;
  }
  void add_item(NodeId list, NodeId child) {
    (*tree_)[list].span.end = (*tree_)[child].span.end;
    tree_->append(list, child);
  }

  // fast_block.cc
  bool block_node(long parent, NodeId& node);
  bool block_list(long column, NodeId& node);
  bool block_map(long column, Scalar key, NodeId& node);
  bool map_value(long column, NodeId& node);
  bool inline_value(long parent, NodeId& node);
  bool block_key(Scalar& key);
  bool after_colon_key(const Scalar& key);
  bool at_dash() const { return here() == '-' && ends_word(at_ + 1); }
  bool missing_value(std::size_t where, NodeId& node);

  // fast_flow.cc
  bool flow_node(NodeId& node);
  bool flow_list(NodeId& node);
  bool flow_map(NodeId& node);
  bool flow_scalar(Scalar& scalar);
  bool flow_key(Scalar& key);
  bool skip_flow_blank();

  // fast_scalar.cc: of one line
  bool quoted(Scalar& scalar);
  bool single_quoted(Scalar& scalar);
  bool double_quoted(Scalar& scalar);
  bool plain(Scalar& scalar);
  bool plain_stop(std::size_t from, std::size_t& stop) const;
  bool plain_in_flow(Scalar& scalar);
  bool add_scalar(const Scalar& scalar, NodeId& node);
  bool key_text(const Scalar& key, std::string_view& text);

  // fast_folded.cc: plain and quoted scalars that may go on in further lines
  bool value_scalar(long parent, Scalar& scalar);
  bool plain_lines(long parent, Scalar& scalar);
  bool quoted_lines(long parent, Scalar& scalar);
  bool next_text_line(long parent, std::size_t& at);

  // fast_text.cc
  struct BlockLines {
    std::size_t indent = 0;
    std::size_t begin = 0;   // of the first line
    std::size_t end = 0;     // of the last line with content
    std::size_t blanks = 0;  // lines after that
    bool single = true;      // there is one line with content, and none before it
  };
  bool block_text(long parent, NodeId& node);
  bool block_lines(long parent, BlockLines& lines);
  bool first_block_line(long parent, BlockLines& lines, std::size_t& line);
  std::string_view block_content(const BlockLines& lines, char chomp);

  const YamlInput& input_;
  std::string_view text_;
  Tree* tree_ = nullptr;
  std::size_t at_ = 0;
  std::size_t line_ = 0;  // where the present line begins
  long column_ = 0;       // of the next content, or kEnd
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
  std::size_t document_begin_ = 0;
  std::string folded_;  // a text of several lines while it is put together
  bool declined_ = false;
};

}  // namespace trainyard
