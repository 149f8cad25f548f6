#include "tree/format_notes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tree/format_scalar.h"

namespace trainyard {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

std::string what_it_is(char c) {
  switch (c) {
    case '&':
      return "an anchor";
    case '*':
      return "an alias";
    case '!':
      return "a tag";
    case '<':
      return "a merge key";
    case '?':
      return "a key with `?`";
    case '%':
      return "a directive";
    default:
      return "this";
  }
}

/// Walks over the text along the values of the tree and takes what lies between them.
class Collector {
 public:
  Collector(std::string_view text, FileNotes& result) : text_(text), result_(result) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  std::optional<NotesFault> run(const std::vector<Tree>& documents) {
    for (const Tree& tree : documents) {
      document(tree);
      if (fault_) return fault_;
    }
    result_.tail = end_of_document();
    return fault_;
  }

 private:
  /// A block collection that has ended, and the least column of a comment that is still its own.
  struct Closed {
    NodeId id;
    std::size_t threshold;
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  NodeNotes& notes(NodeId id) { return document_->nodes[id]; }
  std::size_t column(std::size_t at) const {
    if (at == 0) return 0;
    const std::size_t before = text_.rfind('\n', at - 1);
    return before == text_.npos ? at : at - before - 1;
  }

  void fail(std::size_t at) {
    if (fault_) return;
    fault_ = NotesFault{at, what_it_is(at < text_.size() ? text_[at] : '\0') +
                                " would be lost or changed by formatting"};
  }

  // --- documents

  void document(const Tree& tree) {
    std::vector<NoteLine> head = end_of_document();
    result_.documents.emplace_back();
    document_ = &result_.documents.back();
    document_->nodes.resize(tree.size());
    tree_ = &tree;
    const std::vector<NoteLine> lines = gap(first_token(tree.root()), true);
    head.insert(head.end(), lines.begin(), lines.end());
    const bool block = is_block(tree.root());
    // Comments right above the first entry are its own.
    std::vector<NoteLine> own;
    while (block && !head.empty() && head.back().kind == NoteLine::Kind::Comment) {
      own.insert(own.begin(), head.back());
      head.pop_back();
    }
    document_->head = std::move(head);
    first_ = std::move(own);
    value(tree.root(), false);
  }

  /// The lines after a document: its last comments go to its collections, the rest is returned.
  std::vector<NoteLine> end_of_document() {
    std::vector<NoteLine> lines = gap(kNowhere, true);
    if (tree_ == nullptr) return lines;
    const auto is_marker = [](const NoteLine& l) { return l.kind == NoteLine::Kind::Marker; };
    const auto marker = std::find_if(lines.begin(), lines.end(), is_marker);
    const std::vector<NoteLine> left = give_to_closed({lines.begin(), marker});
    std::vector<NoteLine> rest = left;
    rest.insert(rest.end(), marker, lines.end());
    tree_ = nullptr;
    return rest;
  }

  /// Where the text of a value begins: its bracket, its dash, its first key, its first character.
  std::size_t first_token(NodeId id) const {
    const Node& node = (*tree_)[id];
    if (node.is_map() && node.style != Style::Flow && node.first != kNoNode) {
      return (*tree_)[node.first].key_span.begin;
    }
    return node.span.begin;
  }

  bool is_block(NodeId id) const {
    const Node& node = (*tree_)[id];
    return !node.is_scalar() && node.style != Style::Flow;
  }

  // --- lines between values

  /// The lines up to `stop`, besides which only `allowed` may come; or, when it is kNowhere, up to
  /// the first other character.
  std::vector<NoteLine> gap(std::size_t stop, bool markers, std::string_view allowed = {}) {
    std::vector<NoteLine> lines;
    std::size_t breaks = 0;
    while (at_ < text_.size() && at_ != stop) {
      const char c = text_[at_];
      if (c == '\n') {
        if (++breaks == 2) lines.push_back({});
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '#') {
        const std::size_t where = column(at_);
        lines.push_back({NoteLine::Kind::Comment, comment(), {}, where});
        breaks = 0;
      } else if (markers && is_marker()) {
        lines.push_back({NoteLine::Kind::Marker, text_.substr(at_, 3), {}, 0});
        at_ += 3;
        lines.back().comment = same_line_comment(false);
        breaks = 0;
      } else if (allowed.find(c) != allowed.npos) {
        ++at_;
      } else {
        if (stop != kNowhere) fail(at_);
        break;
      }
    }
    return lines;
  }

  bool is_marker() const {
    const std::string_view word = text_.substr(at_, 3);
    if ((word != "---" && word != "...") || column(at_) != 0) return false;
    const std::string_view after = text_.substr(at_ + 3, 1);
    return after.empty() || std::string_view(" \t\r\n").find(after[0]) != std::string_view::npos;
  }

  /// The comment at the place where we are, without blanks at its end.
  std::string_view comment() {
    std::size_t end = text_.find('\n', at_);
    if (end == text_.npos) end = text_.size();
    std::string_view result = text_.substr(at_, end - at_);
    result = result.substr(0, result.find_last_not_of(" \t\r") + 1);
    at_ = end;
    result_.comments.push_back(result);
    return result;
  }

  /// A comment on the rest of this line; past a comma, within a flow collection.
  std::string_view same_line_comment(bool comma) {
    std::size_t at = at_;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t' ||
                                 (text_[at] == ',' && std::exchange(comma, false)))) {
      ++at;
    }
    if (at >= text_.size() || text_[at] != '#') return {};
    at_ = at;
    return comment();
  }

  /// Comments that are indented as the collections that just ended were go below those; the others
  /// are returned.
  std::vector<NoteLine> give_to_closed(const std::vector<NoteLine>& lines) {
    std::size_t from = 0;
    std::size_t taken = 0;
    bool blank = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].kind == NoteLine::Kind::Blank) {
        blank = true;
        continue;
      }
      while (from < closed_.size() && closed_[from].threshold > lines[i].column) ++from;
      if (from == closed_.size()) break;
      notes(closed_[from].id).foot.push_back({lines[i].text, blank});
      blank = false;
      taken = i + 1;
    }
    closed_.clear();
    return {lines.begin() + static_cast<std::ptrdiff_t>(taken), lines.end()};
  }

  static void put_before(const std::vector<NoteLine>& lines, NodeNotes& target) {
    bool blank = false;
    for (const NoteLine& line : lines) {
      if (line.kind == NoteLine::Kind::Blank) {
        blank = true;
      } else {
        target.before.push_back({line.text, std::exchange(blank, false)});
      }
    }
    target.blank_before = blank;
  }

  // --- values

  void value(NodeId id, bool in_flow) {
    if (fault_) return;
    const Node& node = (*tree_)[id];
    if (node.is_scalar()) {
      scalar(id, in_flow);
    } else if (node.style == Style::Flow) {
      flow(id, in_flow);
    } else {
      block(id);
    }
  }

  void scalar(NodeId id, bool in_flow) {
    const Node& node = (*tree_)[id];
    NodeNotes& own = notes(id);
    if (node.span.size() != 0) {
      inside(id, node.span.begin);
      if (fault_) return;
      at_ = node.span.end;
      closed_.clear();
    }
    const bool is_literal = node.style == Style::Literal || node.style == Style::Folded;
    if (is_literal) block_scalar(id);
    own.end = at_;
    own.after = same_line_comment(in_flow);
  }

  /// Lines between a colon or dash and the value that begins at `stop`.
  void inside(NodeId id, std::size_t stop) {
    if (stop < at_) {
      gap(text_.size(), false);
      return fail(at_);
    }
    bool blank = false;
    for (const NoteLine& line : gap(stop, id == tree_->root())) {
      if (line.kind == NoteLine::Kind::Comment) {
        notes(id).inside.push_back({line.text, std::exchange(blank, false)});
      } else {
        blank = true;
      }
    }
  }

  /// Notes the comment in the header, and takes the empty lines below that belong to the text.
  void block_scalar(NodeId id) {
    const std::size_t begin = (*tree_)[id].span.begin;
    const std::size_t end = std::min(text_.find('\n', begin), at_);
    const std::string_view header = text_.substr(begin, end - begin);
    const std::size_t hash = header.find('#');
    if (hash != header.npos) {
      const std::string_view found = header.substr(hash);
      result_.comments.push_back(found.substr(0, found.find_last_not_of(" \t\r") + 1));
    }
    const bool keep = header.substr(0, hash).find('+') != header.npos;
    const std::size_t indent =
        block_indentation(text_.substr(begin, at_ - begin), notes(id).column);
    for (std::size_t line = at_; line < text_.size();) {
      const std::size_t start = line + 1;
      const std::size_t next = std::min(text_.find_first_not_of(" \t\r", start), text_.size());
      if (next < text_.size() ? text_[next] != '\n' : next == start) break;
      // A line of blanks that is longer than the indentation is a part of the text.
      if (keep || next - start > indent) at_ = next;
      line = next;
    }
  }

  void flow(NodeId id, bool in_flow) {
    notes(id).flow = true;
    inside(id, (*tree_)[id].span.begin);
    if (fault_) return;
    closed_.clear();
    const bool is_map = (*tree_)[id].is_map();
    const char close = is_map ? '}' : ']';
    if (peek() != (is_map ? '{' : '[')) return fail(at_);
    ++at_;
    const std::size_t first_inside = result_.comments.size();
    const std::string_view beside = same_line_comment(false);
    if (notes(id).beside.empty() && notes(id).inside.empty()) {
      notes(id).beside = beside;
    } else if (!beside.empty()) {
      notes(id).inside.push_back({beside, false});
    }
    for (NodeId child : tree_->children(id)) {
      is_map ? entry(child, true) : flow_item(child);
      if (fault_) return;
    }
    put_foot(id, gap(kNowhere, false, ","));
    if (peek() != close) return fail(at_);
    ++at_;
    notes(id).noted_flow = result_.comments.size() != first_inside;
    notes(id).after = same_line_comment(in_flow);
  }

  void put_foot(NodeId id, const std::vector<NoteLine>& lines) {
    bool blank = false;
    for (const NoteLine& line : lines) {
      if (line.kind == NoteLine::Kind::Comment) {
        notes(id).foot.push_back({line.text, std::exchange(blank, false)});
      } else {
        blank = true;
      }
    }
  }

  void flow_item(NodeId id) {
    put_before(gap(first_token_in_flow(id), false, ","), notes(id));
    value(id, true);
  }

  std::size_t first_token_in_flow(NodeId id) const {
    const Node& node = (*tree_)[id];
    // `[a: 1]`: a map without brackets.
    if (node.is_map() && text_.substr(node.span.begin, 1) != "{") return kNowhere;
    return node.span.begin;
  }

  void block(NodeId id) {
    const bool is_map = (*tree_)[id].is_map();
    for (NodeId child : tree_->children(id)) {
      is_map ? entry(child, false) : item(child);
      if (fault_) return;
    }
    const bool same_column = !is_map && id != tree_->root() && under_key_at(id);
    closed_.push_back({id, block_column(id) + (same_column ? 1 : 0)});
  }

  std::size_t block_column(NodeId id) const { return document_->nodes[(*tree_)[id].first].column; }

  /// True when a list's dashes stand right below the key that it belongs to.
  bool under_key_at(NodeId id) const {
    const Node& node = (*tree_)[id];
    return node.key_span.known() && column(node.key_span.begin) == block_column(id);
  }

  std::vector<NoteLine> lines_before(std::size_t stop, bool in_flow) {
    std::vector<NoteLine> lines = std::exchange(first_, {});
    const std::vector<NoteLine> more = gap(stop, false, in_flow ? "," : "");
    lines.insert(lines.end(), more.begin(), more.end());
    return in_flow ? lines : give_to_closed(lines);
  }

  void entry(NodeId id, bool in_flow) {
    const Span key = (*tree_)[id].key_span;
    if (key.begin < at_) {
      gap(text_.size(), false);
      return fail(at_);
    }
    put_before(lines_before(key.begin, in_flow), notes(id));
    if (fault_) return;
    // Only a block's column counts, and a line of flow may be very long.
    if (!in_flow) notes(id).column = column(key.begin);
    at_ = key.end;
    colon(id, in_flow);
    value(id, in_flow);
  }

  void colon(NodeId id, bool in_flow) {
    while (peek() == ' ' || peek() == '\t') ++at_;
    if (peek() == ':') {
      ++at_;
      const bool empty = (*tree_)[id].is_scalar() && (*tree_)[id].span.size() == 0;
      if (!empty) notes(id).beside = same_line_comment(false);
    } else if (!in_flow) {
      fail(at_);
    }
  }

  void item(NodeId id) {
    const std::vector<NoteLine> lines = lines_before(kNowhere, false);
    put_before(lines, notes(id));
    if (peek() != '-') return fail(at_);
    notes(id).column = column(at_);
    ++at_;
    const bool empty = (*tree_)[id].is_scalar() && (*tree_)[id].span.size() == 0;
    if (!empty) notes(id).beside = same_line_comment(false);
    value(id, false);
  }

  std::string_view text_;
  FileNotes& result_;
  std::size_t at_ = 0;
  const Tree* tree_ = nullptr;
  DocumentNotes* document_ = nullptr;
  std::vector<NoteLine> first_;  // comments of the document's first entry
  std::vector<Closed> closed_;   // since the last value, inner ones first
  std::optional<NotesFault> fault_;
};

}  // namespace

std::optional<NotesFault> collect_notes(std::string_view text, const std::vector<Tree>& documents,
                                        FileNotes& result) {
  return Collector(text, result).run(documents);
}

}  // namespace trainyard
