#include "tree/yaml_builder.h"

#include <algorithm>
#include <utility>

#include "tree/yaml_tags.h"

namespace trainyard {

YamlBuilder::YamlBuilder(const YamlInput& input, Sink& sink)
    : input_(input),
      text_(input.text),
      sink_(sink),
      nodes_(input.nodes_before),
      last_end_(input.begin) {}

// --- places --------------------------------------------------------------------------------------

std::size_t YamlBuilder::offset(const YAML::Mark& mark) const {
  const std::size_t at = mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
  return input_.place(at + input_.begin);
}

Span YamlBuilder::span(std::size_t begin, std::size_t end) const {
  return {input_.file, static_cast<std::uint32_t>(begin),
          static_cast<std::uint32_t>(std::max(begin, end))};
}

std::string YamlBuilder::path() const {
  std::string result;
  for (const Frame& frame : frames_) {
    if (tree_[frame.node].is_seq()) {
      result += '[' + std::to_string(tree_[frame.node].size) + ']';
    } else if (frame.has_key) {
      if (!result.empty()) result += '.';
      result += frame.key.text;
    }
  }
  return result;
}

std::size_t YamlBuilder::open_bracket() const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->flow) return tree_[frame->node].span.begin;
  }
  return input_.text.size();
}

long YamlBuilder::open_column() const {
  return frames_.empty() ? -1 : frames_.back().column;
}

void YamlBuilder::note_text(Span where) {
  if (input_.want_text_spans && where.size() != 0) text_spans_.push_back(where);
}

// --- documents -----------------------------------------------------------------------------------

namespace {

/// Whether a text begins as a JSON object does.
bool is_json(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t open = std::min(text.find_first_not_of(blank), text.size());
  if (!text.substr(open).starts_with('{')) return false;
  const std::size_t next = text.find_first_not_of(blank, open + 1);
  return next != text.npos && (text[next] == '"' || text[next] == '}');
}

}  // namespace

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  ++events_;
  const std::size_t at = offset(mark);
  const bool marked = input_.text.substr(at).starts_with("---");
  // JSON objects may follow each other, as Kubernetes reads them.
  const bool json = text_.at(at) == '{' && is_json(input_.text.substr(input_.begin));
  if (between_documents_ && !marked && !json) {
    // yaml-cpp takes what is left after a complete document for the next one.
    const std::string_view gap = text_.from(last_end_, std::max(at, last_end_));
    if (gap.find("\n...") == gap.npos && gap.find("\n---") == gap.npos) {
      sink_.report(DiagnosticKind::YamlSyntax, span(at, text_.line_end(at)),
                   "unexpected text after the end of the document; check its indentation, or start "
                   "a new document with `---`");
      throw StopReading();
    }
  }
  tree_ = Tree();
  anchors_.clear();
  anchor_names_.clear();
  last_end_ = at;
  in_empty_document_ = false;
}

void YamlBuilder::OnDocumentEnd() {
  ++events_;
  between_documents_ = true;
  const bool empty = tree_.root() == kNoNode || in_empty_document_;
  if (!empty) trees_.push_back(std::move(tree_));
  tree_ = Tree();
}

// --- building ------------------------------------------------------------------------------------

void YamlBuilder::count_node(Span where) {
  if (++nodes_ <= input_.limits.nodes) return;
  sink_.report(DiagnosticKind::TooManyNodes, where,
               "the file has more than " + std::to_string(input_.limits.nodes) +
                   " values, aliases expanded; split it");
  throw StopReading();
}

NodeId YamlBuilder::add_node(Kind kind, Span where) {
  count_node(where);
  const NodeId node = tree_.add(kind);
  tree_[node].span = where;
  return node;
}

void YamlBuilder::attach(NodeId node) {
  if (frames_.empty()) {
    tree_.set_root(node);
    return;
  }
  Frame& frame = frames_.back();
  frame.last_end = std::max<std::size_t>(frame.last_end, tree_[node].span.end);
  if (tree_[frame.node].is_map()) {
    attach_entry(frame, node);
  } else {
    tree_.append(frame.node, node);
  }
}

void YamlBuilder::check_collection_tag(std::size_t mark, std::string_view tag,
                                       std::string_view wanted) {
  if (is_non_specific(tag)) return;
  const bool core = tag.starts_with(kCoreTag);
  const std::string_view name = core ? tag.substr(kCoreTag.size()) : tag;
  if (core && name == wanted) return;
  Found found;
  found.span = span(mark, text_.properties_end(mark, true, true));
  constexpr std::string_view kKnown[] = {"str", "int", "float", "bool", "null", "map", "seq"};
  const bool known =
      core && std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
  bad_tag(found, tag, known);
}

void YamlBuilder::open(Kind kind, std::size_t mark, const std::string& tag, YAML::anchor_t anchor,
                       bool flow) {
  const std::size_t begin = text_.after_properties(mark, anchor != 0, tag != "?");
  if (frames_.size() >= input_.limits.depth) {
    sink_.report(
        DiagnosticKind::TooDeep, span(begin, std::min(begin + 1, input_.text.size())),
        "collections are nested deeper than " + std::to_string(input_.limits.depth) + " levels");
    throw StopReading();
  }
  check_collection_tag(mark, tag, kind == Kind::Map ? "map" : "seq");
  Frame frame;
  frame.is_key = key_expected();
  frame.node = add_node(kind, span(begin, begin));
  const char bracket = text_.at(begin);
  const bool has_bracket = flow && (bracket == '[' || bracket == '{');
  frame.flow = flow;
  frame.column = flow ? (frames_.empty() ? -1 : frames_.back().column)
                      : static_cast<long>(text_.column(begin));
  frame.last_end = has_bracket ? begin + 1 : begin;
  tree_[frame.node].style = flow ? Style::Flow : Style::Block;
  frame.anchor = anchor;
  define(anchor, kNoNode);
  frames_.push_back(std::move(frame));
  last_end_ = std::max(last_end_, begin);
}

void YamlBuilder::close() {
  Frame& frame = frames_.back();
  close_merge(frame);
  Node& node = tree_[frame.node];
  const char bracket = text_.at(node.span.begin);
  std::size_t end = frame.last_end;
  if (frame.flow && (bracket == '[' || bracket == '{')) {
    end = text_.flow_end(end);
    if (text_.at(end) == '#') syntax(end, end + 1, "a comment needs a space before its `#`");
    note_text(span(node.span.begin, end));
  }
  node.span = span(node.span.begin, end);
  last_end_ = std::max(last_end_, end);
  const NodeId id = frame.node;
  const bool is_key = frame.is_key;
  frames_.pop_back();
  if (is_key) {
    bad_key(tree_[id].span, tree_[id].is_map() ? "a map" : "a list");
  } else {
    attach(id);
  }
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  ++events_;
  open(Kind::Seq, offset(mark), tag, anchor, style == YAML::EmitterStyle::Flow);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  ++events_;
  open(Kind::Map, offset(mark), tag, anchor, style == YAML::EmitterStyle::Flow);
}

void YamlBuilder::OnSequenceEnd() {
  OnMapEnd();
}

void YamlBuilder::OnMapEnd() {
  ++events_;
  const NodeId node = frames_.back().node;
  const YAML::anchor_t anchor = frames_.back().anchor;
  close();
  define(anchor, node);
}

}  // namespace trainyard
