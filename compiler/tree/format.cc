#include "tree/format.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tree/entry_index.h"
#include "tree/format_notes.h"
#include "tree/format_scalar.h"
#include "tree/tree.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::size_t kStep = 2;

/// Writes the documents of a file with their notes.
class Printer {
 public:
  Printer(std::string_view text, const FormatOptions& options) : text_(text), options_(options) {}

  std::string print(const std::vector<Tree>& documents, FileNotes& notes) {
    for (std::size_t i = 0; i < documents.size(); ++i) {
      tree_ = &documents[i];
      notes_ = &notes.documents[i].nodes;
      path_.clear();
      loose_lines(notes.documents[i].head);
      root(documents[i].root());
    }
    loose_lines(notes.tail);
    return std::move(out_);
  }

 private:
  const Node& node(NodeId id) const { return (*tree_)[id]; }
  NodeNotes& notes(NodeId id) { return (*notes_)[id]; }
  std::string_view source(Span span) const { return text_.substr(span.begin, span.size()); }

  // --- lines

  /// An empty line before the next one; none at the start, and never two.
  void blank() {
    if (!out_.empty() && !after_marker_) blank_ = true;
  }

  void start_line(std::size_t indent) {
    if (blank_) out_ += '\n';
    blank_ = after_marker_ = false;
    block_indent_ = 0;
    out_.append(indent, ' ');
  }

  void end_line(std::string_view comment = {}) {
    if (!comment.empty()) put_comment(comment);
    out_ += '\n';
  }

  void put_comment(std::string_view comment) {
    out_ += ' ';
    out_ += comment;
  }

  void comment_lines(const std::vector<Note>& lines, std::size_t indent, bool at_start = false) {
    for (const Note& line : lines) {
      if (line.blank_before && !std::exchange(at_start, false)) blank();
      at_start = false;
      start_line(indent);
      out_ += line.text;
      end_line();
    }
  }

  void loose_lines(const std::vector<NoteLine>& lines) {
    for (const NoteLine& line : lines) {
      if (line.kind == NoteLine::Kind::Blank) {
        blank();
        continue;
      }
      start_line(0);
      out_ += line.text;
      end_line(line.comment);
      after_marker_ = line.kind == NoteLine::Kind::Marker;
    }
  }

  // --- values

  void root(NodeId id) {
    if (prints_as_block(id, 0)) {
      comment_above(id, 0);
      block(id, 0, false);
      return comment_lines(notes(id).foot, 0);
    }
    comment_lines(notes(id).inside, 0);
    start_line(0);
    inline_value(id, 0);
  }

  /// What stood beside the bracket of a flow collection that becomes a block.
  void comment_above(NodeId id, std::size_t indent) {
    NodeNotes& own = notes(id);
    if (!own.flow) return;
    comment_lines(own.inside, indent);
    for (std::string_view text : {own.beside, own.after}) {
      if (!text.empty()) comment_lines({{text, false}}, indent);
    }
  }

  /// The children, each on its lines. `continued`: the first one goes on after a dash.
  void block(NodeId id, std::size_t indent, bool continued) {
    const bool is_map = node(id).is_map();
    bool first = true;
    for (NodeId child : ordered(id)) {
      NodeNotes& own = notes(child);
      comment_lines(own.before, indent, first);
      if (own.blank_before && !(first && own.before.empty())) blank();
      const bool goes_on = first && continued && own.before.empty();
      if (!goes_on) start_line(indent);
      first = false;
      is_map ? entry(child, indent) : item(child, indent);
    }
  }

  std::vector<NodeId> ordered(NodeId id) const {
    std::vector<NodeId> result;
    for (NodeId child : tree_->children(id)) result.push_back(child);
    if (!options_.rank || !node(id).is_map()) return result;
    std::vector<std::pair<std::size_t, NodeId>> ranked;
    for (NodeId child : result) ranked.push_back({options_.rank(path_, node(child).key), child});
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < ranked.size(); ++i) result[i] = ranked[i].second;
    return result;
  }

  void entry(NodeId id, std::size_t indent) {
    const std::size_t depth = path_.size();
    if (depth != 0) path_ += '.';
    path_ += node(id).key;
    out_ += format_key(node(id), source(node(id).key_span), false);
    out_ += ':';
    const bool is_list = node(id).is_seq();
    if (prints_as_block(id, 1)) {
      nested(id, is_list ? indent : indent + kStep, indent);
    } else {
      leaf(id, indent);
    }
    path_.resize(depth);
  }

  /// A block below its key.
  void nested(NodeId id, std::size_t indent, std::size_t key_indent) {
    NodeNotes& own = notes(id);
    std::vector<Note> above = own.inside;
    std::string_view beside = own.beside;
    if (own.flow && !own.after.empty()) {
      if (beside.empty()) {
        beside = own.after;
      } else {
        above.push_back({own.after, false});
      }
    }
    end_line(beside);
    comment_lines(above, indent, true);
    block(id, indent, false);
    foot(id, indent, key_indent);
  }

  /// Comments below the last item of a list are moved in, away from what comes after the list.
  void foot(NodeId id, std::size_t indent, std::size_t key_indent) {
    std::size_t column = indent == key_indent ? indent + kStep : indent;
    if (block_indent_ != 0 && block_indent_ <= column) column = indent;
    comment_lines(notes(id).foot, column);
  }

  void item(NodeId id, std::size_t indent) {
    const std::size_t depth = path_.size();
    path_ += "[]";
    out_ += '-';
    if (prints_as_block(id, 1)) {
      nested_item(id, indent + kStep);
    } else {
      leaf(id, indent);
    }
    path_.resize(depth);
  }

  void nested_item(NodeId id, std::size_t indent) {
    NodeNotes& own = notes(id);
    std::vector<Note> above = own.inside;
    std::string_view beside = own.beside;
    if (own.flow && !own.after.empty()) {
      if (beside.empty()) {
        beside = own.after;
      } else {
        above.push_back({own.after, false});
      }
    }
    const NodeId first = ordered(id).front();
    const bool goes_on = beside.empty() && above.empty() && notes(first).before.empty();
    if (goes_on) {
      out_ += ' ';
    } else {
      end_line(beside);
      comment_lines(above, indent, true);
    }
    block(id, indent, goes_on);
    comment_lines(notes(id).foot, indent);
  }

  /// A value on the line of its key or dash, or below when a comment comes between.
  void leaf(NodeId id, std::size_t indent) {
    NodeNotes& own = notes(id);
    if (!own.beside.empty() || !own.inside.empty()) {
      end_line(own.beside);
      comment_lines(own.inside, indent + kStep, true);
      start_line(indent + kStep);
    } else if (node(id).span.size() != 0) {
      out_ += ' ';
    }
    inline_value(id, indent);
  }

  void inline_value(NodeId id, std::size_t indent) {
    NodeNotes& own = notes(id);
    if (!node(id).is_scalar()) {
      out_ += flow_text(id);
      return end_line(own.after);
    }
    const ScalarText text = scalar(id, false);
    out_ += text.first;
    if (text.more.empty()) return end_line(own.after);
    out_ += '\n';
    for (std::size_t i = 0; i < text.more.size(); ++i) {
      const std::string_view line = text.more[i];
      if (!line.empty()) out_.append(indent + kStep, ' ');
      out_ += line;
      if (i + 1 < text.more.size()) out_ += '\n';
    }
    end_line(own.after);
    if (text.block) block_indent_ = indent + kStep;
  }

  ScalarText scalar(NodeId id, bool in_flow) {
    const Node& value = node(id);
    const std::size_t end = std::max<std::size_t>(value.span.end, notes(id).end);
    const std::string_view text = text_.substr(value.span.begin, end - value.span.begin);
    const bool has_lines = value.style == Style::Literal || value.style == Style::Folded;
    return format_scalar(value, has_lines ? text : source(value.span), notes(id).column, in_flow);
  }

  // --- flow collections

  bool prints_as_block(NodeId id, std::size_t space) {
    if (node(id).is_scalar() || node(id).size == 0) return false;
    if (!notes(id).flow || notes(id).noted_flow) return true;
    const std::size_t line = out_.rfind('\n');
    const std::size_t column = out_.size() - (line == out_.npos ? 0 : line + 1);
    return !fits(id, column + space);
  }

  bool fits(NodeId id, std::size_t column) {
    return on_one_line(id) && column + flow_text(id).size() <= options_.width;
  }

  bool on_one_line(NodeId id) const {
    if (node(id).is_scalar()) return source(node(id).span).find('\n') == std::string_view::npos;
    const auto children = tree_->children(id);
    return std::all_of(children.begin(), children.end(),
                       [this](NodeId child) { return on_one_line(child); });
  }

  std::string flow_text(NodeId id) {
    if (node(id).is_scalar()) {
      const std::string text = scalar(id, true).first;
      return text.empty() ? "null" : text;
    }
    const bool is_map = node(id).is_map();
    std::string result(1, is_map ? '{' : '[');
    const std::size_t depth = path_.size();
    for (NodeId child : ordered(id)) {
      if (result.size() > 1) result += ", ";
      if (!is_map) {
        path_ += "[]";
      } else {
        if (depth != 0) path_ += '.';
        path_ += node(child).key;
        result += format_key(node(child), source(node(child).key_span), true) + ": ";
      }
      result += flow_text(child);
      path_.resize(depth);
    }
    return result + (is_map ? '}' : ']');
  }

  std::string_view text_;
  const FormatOptions& options_;
  const Tree* tree_ = nullptr;
  std::vector<NodeNotes>* notes_ = nullptr;
  std::string out_;
  std::string path_;
  bool blank_ = false;
  bool after_marker_ = false;
  std::size_t block_indent_ = 0;  // of the block scalar that ends on the line before; 0: none
};

bool same_value(const Tree& a, NodeId a_id, const Tree& b, NodeId b_id) {
  const Node& x = a[a_id];
  const Node& y = b[b_id];
  if (x.kind != y.kind || x.text != y.text || x.size != y.size) return false;
  const EntryIndex entries(b, x.is_map() ? b_id : kNoNode);
  NodeId j = y.first;
  for (NodeId i : a.children(a_id)) {
    const NodeId other = x.is_map() ? entries.find(a[i].key) : j;
    if (other == kNoNode || !same_value(a, i, b, other)) return false;
    j = b[j].next;
  }
  return true;
}

/// The documents of a file, which may also hold nothing but comments.
std::optional<std::vector<Tree>> read_documents(const SourceMap& sources, FileId file, Sink& sink) {
  Sink own;
  std::vector<Tree> documents = read_yaml(sources, file, own);
  bool good = true;
  for (const Diagnostic& report : own.all()) {
    if (report.kind == DiagnosticKind::EmptyDocument) continue;
    good = good && report.severity != Severity::Error;
    sink.report(report);
  }
  if (!good) return std::nullopt;
  return documents;
}

/// Reads the result back: the same values, and not a comment less.
bool is_faithful(const std::vector<Tree>& documents, std::vector<std::string_view> comments,
                 const std::string& result) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add_view("result", result);
  const auto again = read_documents(sources, file, sink);
  if (!again || again->size() != documents.size()) return false;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Tree& tree = (*again)[i];
    if (!same_value(documents[i], documents[i].root(), tree, tree.root())) return false;
  }
  FileNotes notes;
  if (collect_notes(result, *again, notes)) return false;
  std::sort(comments.begin(), comments.end());
  std::sort(notes.comments.begin(), notes.comments.end());
  return comments == notes.comments;
}

/// `[ # nothing yet\n]` has no line for its comments: they go above it.
void lift_comments_of_empty(const std::vector<Tree>& documents, FileNotes& notes) {
  for (std::size_t d = 0; d < documents.size(); ++d) {
    for (NodeId id = 0; id < documents[d].size(); ++id) {
      NodeNotes& own = notes.documents[d].nodes[id];
      if (!own.flow || documents[d][id].size != 0) continue;
      std::vector<Note>& target = id == documents[d].root() ? own.inside : own.before;
      if (own.noted_flow && !own.beside.empty()) {
        target.push_back({std::exchange(own.beside, {}), false});
      }
      target.insert(target.end(), own.foot.begin(), own.foot.end());
      own.foot.clear();
    }
  }
}

}  // namespace

std::optional<std::string> format_yaml(const SourceMap& sources, FileId file, Sink& sink,
                                       const FormatOptions& options) {
  const auto read = read_documents(sources, file, sink);
  if (!read) return std::nullopt;
  const std::vector<Tree>& documents = *read;
  const std::string_view text = sources.text(file);
  FileNotes notes;
  if (const auto fault = collect_notes(text, documents, notes)) {
    const auto at = static_cast<std::uint32_t>(fault->at);
    sink.report(DiagnosticKind::CannotFormat, {file, at, at}, fault->message);
    return std::nullopt;
  }
  lift_comments_of_empty(documents, notes);
  std::string result = Printer(text, options).print(documents, notes);
  if (!is_faithful(documents, notes.comments, result)) {
    sink.report(DiagnosticKind::CannotFormat, {file, 0, 0},
                "formatting would change what the file says; it is left as it is");
    return std::nullopt;
  }
  return result;
}

}  // namespace trainyard
