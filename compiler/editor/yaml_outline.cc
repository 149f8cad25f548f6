#include "editor/yaml_outline.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace trainyard {
namespace {

using Kind = OutlineNode::Kind;

constexpr int kDeepestFlow = 64;
constexpr std::string_view kLineEnds = "\r\n";

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { begin_document(); }

  std::vector<OutlineNode> run() {
    while (at_ < text_.size()) line();
    while (!open_.empty()) close();
    return std::move(nodes_);
  }

 private:
  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\n'; }
  bool ends_line(std::size_t at) const { return kLineEnds.find(peek(at)) != kLineEnds.npos; }
  bool ends_word(std::size_t at) const { return ends_line(at) || is_space(peek(at)); }
  bool is_comment(std::size_t at) const {
    return peek(at) == '#' && (at == 0 || ends_word(at - 1));
  }
  std::size_t end_of_line(std::size_t at) const {
    return std::min(text_.find_first_of(kLineEnds, at), text_.size());
  }
  std::size_t next_line(std::size_t at) const {
    const std::size_t end = end_of_line(at);
    return std::min(end + (text_.substr(end).starts_with("\r\n") ? 2 : 1), text_.size());
  }
  std::size_t behind_spaces(std::size_t at) const {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
  }

  std::uint32_t add(Kind kind, std::uint32_t parent, std::size_t column, std::size_t begin,
                    std::size_t end) {
    OutlineNode node;
    node.kind = kind;
    node.parent = parent;
    node.column = column;
    node.begin = begin;
    node.end = end;
    node.value = node.value_end = node.last = end;
    if (parent != OutlineNode::kNone) node.number = nodes_[parent].children++;
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void begin_document() {
    while (!open_.empty()) close();
    open_.push_back(add(Kind::Document, OutlineNode::kNone, 0, at_, at_));
  }

  void close() {
    OutlineNode& node = nodes_[open_.back()];
    node.last = std::max(node.last, content_end_);
    open_.pop_back();
  }

  /// The open node that what begins in this column belongs to.
  std::uint32_t parent_for(Kind kind, std::size_t column) {
    while (open_.size() > 1) {
      const OutlineNode& top = nodes_[open_.back()];
      const bool is_list_of_it =
          kind == Kind::Item && top.kind == Kind::Entry && top.column == column;
      if (top.column < column || is_list_of_it) break;
      close();
    }
    return open_.back();
  }

  void line() {
    const std::size_t begin = at_;
    const std::size_t word = behind_spaces(at_);
    if (ends_line(word) || is_comment(word)) {
      at_ = next_line(word);
      return;
    }
    const std::string_view rest = text_.substr(begin);
    if ((rest.starts_with("---") || rest.starts_with("...")) && ends_word(begin + 3)) {
      at_ = next_line(begin);
      begin_document();
      return;
    }
    const std::size_t end = content(begin, word);
    content_end_ = std::max(content_end_, end);
    at_ = next_line(std::max(end, begin));
  }

  /// The content of a line, and of the lines that its value goes on in. Returns where it ends.
  std::size_t content(std::size_t line, std::size_t at) {
    std::uint32_t item = OutlineNode::kNone;
    while (peek(at) == '-' && ends_word(at + 1)) {
      const std::size_t column = at - line;
      item = add(Kind::Item, parent_for(Kind::Item, column), column, at, at + 1);
      open_.push_back(item);
      at = behind_spaces(at + 1);
      if (ends_line(at) || is_comment(at)) return at;
    }
    const std::size_t column = at - line;
    const std::size_t key_end = end_of_key(at);
    if (key_end != text_.npos) {
      const std::size_t colon = behind_spaces(key_end);
      const std::uint32_t entry =
          add(Kind::Entry, parent_for(Kind::Entry, column), column, at, key_end);
      open_.push_back(entry);
      return value(entry, behind_spaces(colon + 1));
    }
    if (item != OutlineNode::kNone) return value(item, at);
    if (peek(at) == '{' || peek(at) == '[') return flow(at, open_.back(), column, 0);
    const std::size_t end = end_of_plain(at);
    open_.push_back(add(Kind::Word, parent_for(Kind::Word, column), column, at, end));
    return end;
  }

  /// Where a key that begins here ends; npos where there is none.
  std::size_t end_of_key(std::size_t at) const {
    const char first = peek(at);
    if (first == '"' || first == '\'') {
      const std::size_t close = end_of_quoted(at, end_of_line(at));
      const std::size_t colon = behind_spaces(close);
      return peek(colon) == ':' && ends_word(colon + 1) ? close : text_.npos;
    }
    if (first == '{' || first == '[' || first == '|' || first == '>') return text_.npos;
    for (std::size_t i = at; !ends_line(i); ++i) {
      if (is_comment(i)) break;
      if (text_[i] != ':' || !ends_word(i + 1)) continue;
      while (i > at && is_space(text_[i - 1])) --i;
      return i;
    }
    return text_.npos;
  }

  /// Behind the closing quote; the end of the line where it is missing up to `limit`.
  std::size_t end_of_quoted(std::size_t at, std::size_t limit) const {
    const char quote = text_[at];
    for (std::size_t i = at + 1; i < limit; ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        if (quote != '\'' || peek(i + 1) != quote) return i + 1;
        ++i;
      }
    }
    return std::min(end_of_line(at), limit);
  }

  std::size_t end_of_plain(std::size_t at) const {
    std::size_t end = at;
    while (!ends_line(end) && !is_comment(end)) ++end;
    while (end > at && is_space(text_[end - 1])) --end;
    return end;
  }

  /// The end of the lines below that are indented more than a column, or empty.
  std::size_t end_of_deeper(std::size_t at, std::size_t column) const {
    std::size_t end = end_of_line(at);
    for (std::size_t line = next_line(at); line < text_.size(); line = next_line(line)) {
      const std::size_t word = behind_spaces(line);
      if (ends_line(word)) continue;
      if (word - line <= column) break;
      end = end_of_line(word);
    }
    return end;
  }

  std::size_t value(std::uint32_t node, std::size_t at) {
    while (peek(at) == '&' || peek(at) == '!') {  // an anchor or a tag
      while (!ends_word(at)) ++at;
      at = behind_spaces(at);
    }
    const std::size_t column = nodes_[node].column;
    nodes_[node].value = nodes_[node].value_end = at;
    if (ends_line(at) || is_comment(at)) return at;
    std::size_t end = at;
    const char first = peek(at);
    if (first == '|' || first == '>') {
      end = end_of_deeper(at, column);
    } else if (first == '{' || first == '[') {
      end = flow(at, node, column, 0);
    } else if (first == '"' || first == '\'') {
      end = end_of_quoted(at, end_of_deeper(at, column));
    } else {
      end = end_of_plain(at);
    }
    nodes_[node].value_end = end;
    nodes_[node].last = std::max(nodes_[node].last, end);
    return end;
  }

  // ---- flow collections ----------------------------------------------------------------------

  /// The next thing within a flow collection. At the size of the text where it is cut off: by its
  /// end, or by a line that is not indented as its inside must be.
  std::size_t next_in_flow(std::size_t at, std::size_t column) const {
    while (at < text_.size()) {
      if (ends_line(at)) {
        at = next_line(at);
        const std::size_t word = behind_spaces(at);
        const char first = peek(word);
        const bool closes = first == '}' || first == ']';
        if (!ends_line(word) && column != 0 && word - at <= column && !closes) return text_.npos;
        at = word;
      } else if (is_comment(at)) {
        at = end_of_line(at);
      } else if (is_space(text_[at]) || text_[at] == ',') {
        ++at;
      } else {
        return at;
      }
    }
    return text_.npos;
  }

  std::size_t end_of_flow_scalar(std::size_t at) const {
    if (peek(at) == '"' || peek(at) == '\'') return end_of_quoted(at, end_of_line(at));
    std::size_t end = at;
    while (!ends_line(end) && !is_comment(end)) {
      const char c = text_[end];
      if (c == ',' || c == '}' || c == ']') break;
      const char next = peek(end + 1);
      if (c == ':' && (ends_word(end + 1) || next == ',' || next == '}' || next == ']')) break;
      ++end;
    }
    while (end > at && is_space(text_[end - 1])) --end;
    return end;
  }

  std::size_t flow(std::size_t at, std::uint32_t parent, std::size_t column, int depth) {
    const bool is_map = text_[at] == '{';
    if (depth == kDeepestFlow) return end_of_line(at);
    std::size_t end = ++at;  // of what was read
    while (true) {
      at = next_in_flow(end, column);
      if (at == text_.npos) return end;
      if (peek(at) == '}' || peek(at) == ']') return at + 1;
      end = is_map ? flow_entry(at, parent, column, depth)
                   : flow_value(at, add(Kind::Item, parent, column + 1, at, at), column, depth);
      end = std::max(end, at + (end == at ? 1 : 0));
    }
  }

  std::size_t flow_entry(std::size_t at, std::uint32_t parent, std::size_t column, int depth) {
    const std::size_t key_end = end_of_flow_scalar(at);
    const std::size_t colon = behind_spaces(key_end);
    const bool has_value = peek(colon) == ':';
    const std::uint32_t entry =
        add(has_value ? Kind::Entry : Kind::Word, parent, column + 1, at, key_end);
    if (!has_value) return key_end;
    const std::size_t value = behind_spaces(colon + 1);
    nodes_[entry].value = nodes_[entry].value_end = value;
    return flow_value(value, entry, column, depth);
  }

  std::size_t flow_value(std::size_t at, std::uint32_t node, std::size_t column, int depth) {
    std::size_t end = at;
    if (peek(at) == '{' || peek(at) == '[') {
      end = flow(at, node, column, depth + 1);
    } else {
      end = end_of_flow_scalar(at);
    }
    nodes_[node].value = at;
    nodes_[node].value_end = nodes_[node].last = end;
    return end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t content_end_ = 0;
  std::vector<OutlineNode> nodes_;
  std::vector<std::uint32_t> open_;  // outermost first
};

/// The nodes of a text in the order in which they begin.
std::vector<OutlineNode> read_outline(std::string_view text) {
  return Reader(text).run();
}

}  // namespace

std::string_view without_quotes(std::string_view scalar) {
  if (scalar.empty() || (scalar.front() != '"' && scalar.front() != '\'')) return scalar;
  const char quote = scalar.front();
  scalar.remove_prefix(1);
  if (scalar.ends_with(quote)) scalar.remove_suffix(1);
  return scalar;
}

Outline::Outline(std::string_view text) : text_(text), nodes_(read_outline(text)) {}

std::optional<std::uint32_t> Outline::at(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(nodes_, offset, {}, &OutlineNode::begin);
  for (auto node = static_cast<std::uint32_t>(behind - nodes_.begin()); node-- > 0;) {
    const OutlineNode& each = nodes_[node];
    if (each.kind == OutlineNode::Kind::Document) return std::nullopt;
    if (offset <= each.end) return node;
    // A value that is still to be typed may be behind spaces.
    if (offset <= each.value_end) return node;
    if (each.last < offset && each.column == 0) return std::nullopt;
  }
  return std::nullopt;
}

bool Outline::is_on_key(std::uint32_t node, std::size_t offset) const {
  const OutlineNode& each = nodes_[node];
  return each.kind != OutlineNode::Kind::Item && offset >= each.begin && offset <= each.end;
}

std::string_view Outline::key(std::uint32_t node) const {
  const OutlineNode& each = nodes_[node];
  if (each.kind == OutlineNode::Kind::Item || each.kind == OutlineNode::Kind::Document) return {};
  return without_quotes(text_.substr(each.begin, each.end - each.begin));
}

std::string_view Outline::value(std::uint32_t node) const {
  const OutlineNode& each = nodes_[node];
  return without_quotes(text_.substr(each.value, each.value_end - each.value));
}

std::uint32_t Outline::document_of(std::uint32_t node) const {
  while (nodes_[node].parent != OutlineNode::kNone) node = nodes_[node].parent;
  return node;
}

std::optional<std::uint32_t> Outline::child(std::uint32_t parent, std::string_view wanted) const {
  for (std::uint32_t node = parent + 1; node < nodes_.size(); ++node) {
    if (nodes_[node].kind == OutlineNode::Kind::Document) break;
    if (nodes_[node].parent == parent && key(node) == wanted) return node;
  }
  return std::nullopt;
}

std::string_view Outline::heading(std::uint32_t document, std::string_view wanted) const {
  const auto found = child(document, wanted);
  return found ? value(*found) : std::string_view();
}

std::vector<std::uint32_t> Outline::path(std::uint32_t node) const {
  std::vector<std::uint32_t> steps;
  for (; nodes_[node].parent != OutlineNode::kNone; node = nodes_[node].parent) {
    steps.push_back(node);
  }
  std::ranges::reverse(steps);
  return steps;
}

}  // namespace trainyard
