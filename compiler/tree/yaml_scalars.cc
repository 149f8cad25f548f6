#include <algorithm>
#include <utility>

#include "source/text_parts.h"
#include "tree/plain_value.h"
#include "tree/yaml_builder.h"
#include "tree/yaml_escapes.h"
#include "tree/yaml_tags.h"

// The scalars and keys of a document, as YamlBuilder reads them off its text.

namespace trainyard {
namespace {

/// From so many entries on, a map is indexed to find repeated keys.
constexpr std::size_t kIndexFrom = 16;

/// `!!int` for the long form, else as it is.
std::string tag_word(std::string_view tag) {
  if (tag.starts_with(kCoreTag)) return "`!!" + std::string(tag.substr(kCoreTag.size())) + "`";
  return in_backticks(tag);
}

std::string_view reading(const PlainScalar& meaning, Kind kind) {
  switch (meaning.special) {
    case Special::Timestamp:
      return "a date";
    case Special::Merge:
      return "a merge key";
    case Special::Default:
      return "a default key";
    case Special::None:
      break;
  }
  switch (kind) {
    case Kind::Null:
      return "null";
    case Kind::Bool:
      return "a boolean";
    case Kind::Int:
      return "an integer";
    case Kind::Float:
      return "a number";
    default:
      return "a string";
  }
}

}  // namespace

// --- scalars -------------------------------------------------------------------------------------

bool YamlBuilder::key_expected() const {
  return !frames_.empty() && tree_[frames_.back().node].is_map() && !frames_.back().has_key;
}

bool YamlBuilder::null_word_at(std::size_t at) const {
  const std::string_view rest = input_.text.substr(at, 5);
  for (std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (!rest.starts_with(word)) continue;
    const char after = text_.at(at + word.size());
    if (after == '\0' || std::string_view(" \t\r\n,]}:").find(after) != std::string_view::npos) {
      // What starts no further right than the collection belongs to what comes after it.
      const bool in_block = !frames_.empty() && !frames_.back().flow && !key_expected();
      if (!in_block) return true;
      const bool same_line = text_.line_begin(at) <= frames_.back().last_end;
      return same_line || static_cast<long>(text_.column(at)) > frames_.back().column;
    }
  }
  return false;
}

// yaml-cpp lets some texts pass that are not YAML, and drops or invents values for them. The checks
// below catch those that people really write.

void YamlBuilder::syntax(std::size_t begin, std::size_t end, std::string message) {
  sink_.report(DiagnosticKind::YamlSyntax, span(begin, end), std::move(message));
}

/// A missing value needs a `:` or, for the key of `? key`, a mark before it; an item needs a dash.
void YamlBuilder::check_missing_value(std::size_t next) {
  const Frame& frame = frames_.back();
  if (tree_[frame.node].is_seq()) {
    if (frame.flow && text_.at(next) == ',') {
      syntax(next, next + 1, "a list item is missing before this `,`");
    }
    return;
  }
  if (frame.flow || !frame.has_key || text_.at(next) == ':') return;
  const Span key = frame.key.span;
  std::size_t first = text_.line_begin(key.begin);
  while (text_.at(first) == ' ' || text_.at(first) == '-') ++first;
  const bool maybe_explicit =
      std::string_view("?&!*").find(text_.at(first)) != std::string_view::npos;
  if (maybe_explicit || first < key.begin || key.size() == 0) return;
  syntax(key.begin, key.end, "a key without `:`; write `key: value`");
}

void YamlBuilder::check_quoted(const Found& found) {
  if (!text_.quote_is_closed(found.span.begin)) {
    syntax(found.span.begin, found.span.begin + 1, "this quote is never closed");
    throw StopReading();
  }
  const std::size_t end = found.span.end;
  if (text_.at(end) == '#') syntax(end, end + 1, "a comment needs a space before its `#`");
}

/// yaml-cpp drops a block text without indentation, which the top level allows.
void YamlBuilder::check_block_text(const Found& found, const std::string& value) {
  const std::string_view text = text_.from(found.span.begin, found.span.end);
  if (!value.empty() || text.find('\n') == text.npos) return;
  syntax(found.span.begin, found.span.begin + 1, "the lines of this block text must be indented");
  throw StopReading();
}

/// The place of a value that is not there: after its properties, its colon or its dash.
YamlBuilder::Found YamlBuilder::missing_scalar(std::size_t properties_end, bool properties) {
  Found found;
  found.missing = true;
  std::size_t at = properties_end;
  if (!properties && !frames_.empty()) {
    const Frame& frame = frames_.back();
    const bool is_map = tree_[frame.node].is_map();
    at = is_map && frame.has_key ? frame.key.span.end : frame.last_end;
    std::size_t next = text_.skip_blank(at);
    const bool flow_list = !is_map && frame.flow;
    if (flow_list && tree_[frame.node].size != 0 && text_.at(next) == ',') {
      at = next + 1;
      next = text_.skip_blank(at);
    }
    check_missing_value(next);
    if (is_map && frame.has_key && text_.at(next) == ':') at = next + 1;
    if (!is_map && !frame.flow && text_.at(next) == '-') at = next + 1;
    if (is_map && !frame.has_key) at = std::max(at, std::min(properties_end, next));
  }
  found.span = span(at, at);
  return found;
}

YamlBuilder::Found YamlBuilder::find_scalar(std::size_t mark, const std::string& tag, bool anchor,
                                            const std::string& value) {
  const bool has_tag = tag != "?";
  const std::size_t begin = text_.after_properties(mark, anchor, has_tag);
  Found found;
  found.style = text_.style(begin);
  if (value.empty() && found.style == Style::Plain) {
    const std::size_t end = text_.properties_end(mark, anchor, has_tag);
    return missing_scalar(end, end != mark);
  }
  std::size_t end = begin;
  std::string_view inner;
  switch (found.style) {
    case Style::SingleQuoted:
    case Style::DoubleQuoted:
      end = text_.quoted_end(begin);
      inner = end > begin + 1 ? text_.from(begin + 1, end - 1) : std::string_view();
      break;
    case Style::Literal:
    case Style::Folded: {
      end = text_.block_end(begin, frames_.empty() ? -1 : frames_.back().column);
      break;
    }
    default:
      end = text_.plain_end(begin, value);
      inner = text_.from(begin, end);
  }
  found.span = span(begin, end);
  if (found.style == Style::SingleQuoted || found.style == Style::DoubleQuoted) check_quoted(found);
  if (found.style == Style::Literal || found.style == Style::Folded) check_block_text(found, value);
  found.text = inner == value ? inner : tree_.intern(value);
  if (found.style == Style::DoubleQuoted && has_latin1_escape(inner)) {
    found.text = tree_.intern(latin1_escapes_as_utf8(value));
  }
  return found;
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  ++events_;
  scalar(find_scalar(offset(mark), tag, anchor != 0, value), tag, anchor);
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  ++events_;
  const std::size_t at = offset(mark);
  const std::size_t begin = text_.after_properties(at, anchor != 0, true);
  Found found;
  if (null_word_at(begin)) {
    const std::size_t size = text_.at(begin) == '~' ? 1 : 4;
    found.span = span(begin, begin + size);
    found.text = text_.from(begin, begin + size);
  } else {
    const std::size_t end = text_.properties_end(at, anchor != 0, true);
    found = missing_scalar(end, end != at);
    in_empty_document_ = frames_.empty() && end == at;
  }
  scalar(found, "?", anchor);
}

void YamlBuilder::scalar(const Found& found, std::string_view tag, YAML::anchor_t anchor) {
  last_end_ = std::max<std::size_t>(last_end_, found.span.end);
  note_text(found.span);
  if (key_expected()) {
    take_key(found, tag);
    if (anchor == 0) return;
    const NodeId node = add_node(Kind::String, found.span);
    tree_[node].text = frames_.back().key.text;
    define(anchor, node);
    return;
  }
  const NodeId id = add_node(Kind::String, found.span);
  Node& node = tree_[id];
  node.style = found.style;
  set_value(node, found, tag);
  define(anchor, id);
  attach(id);
}

void YamlBuilder::set_value(Node& node, const Found& found, std::string_view tag) {
  node.text = found.text;
  if (!is_non_specific(tag)) {
    tagged_value(node, found, tag);
  } else if (found.style == Style::Plain && tag != "!") {
    plain_value(node, found);
  }
}

void YamlBuilder::plain_value(Node& node, const Found& found) {
  const PlainScalar meaning = classify_plain(found.text);
  if (meaning.ambiguous() && input_.ambiguity == Ambiguity::Refuse) {
    refuse_ambiguous(found, meaning, false);
    return;
  }
  set_plain_value(node, found.text, meaning.kubernetes, tree_.arena());
}

void YamlBuilder::tagged_value(Node& node, const Found& found, std::string_view tag) {
  constexpr std::pair<std::string_view, Kind> kTags[] = {{"str", Kind::String},
                                                         {"int", Kind::Int},
                                                         {"float", Kind::Float},
                                                         {"bool", Kind::Bool},
                                                         {"null", Kind::Null}};
  const bool core = tag.starts_with(kCoreTag);
  const std::string_view name = core ? tag.substr(kCoreTag.size()) : tag;
  const auto* known = std::find_if(std::begin(kTags), std::end(kTags),
                                   [name](const auto& pair) { return pair.first == name; });
  if (!core || known == std::end(kTags)) return bad_tag(found, tag, name == "map" || name == "seq");
  if (known->second == Kind::String) return;
  Found plain = found;
  plain.style = Style::Plain;
  plain_value(node, plain);
  if (node.kind == Kind::Int && known->second == Kind::Float) node.kind = Kind::Float;
  if (node.kind != known->second) bad_tag(found, tag, true);
}

void YamlBuilder::bad_tag(const Found& found, std::string_view tag, bool known) {
  std::string message = known ? "the tag " + tag_word(tag) + " does not fit this value"
                              : "the tag " + tag_word(tag) + " is not one of the core schema";
  sink_.report(DiagnosticKind::UnknownTag, found.span, std::move(message))
      .at(path())
      .note("known are `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!map` and `!!seq`");
}

void YamlBuilder::refuse_ambiguous(const Found& found, const PlainScalar& meaning, bool key) {
  const std::string_view text = input_.text.substr(found.span.begin, found.span.size());
  const bool go_differs = meaning.special == Special::None && meaning.yaml11 == meaning.yaml12 &&
                          meaning.kubernetes != meaning.yaml12;
  const Kind old_kind = go_differs ? meaning.kubernetes : meaning.yaml11;
  const std::string_view old_reader = go_differs ? "Kubernetes" : "a YAML 1.1 reader";
  std::string message = "unquoted " + in_backticks(text) + " is ";
  if (meaning.special == Special::None && old_kind == meaning.yaml12) {
    message += "octal to " + std::string(old_reader) + " and decimal to a YAML 1.2 reader";
  } else {
    message += std::string(reading(meaning, old_kind)) + " to " + std::string(old_reader) +
               " and " + std::string(reading({}, meaning.yaml12)) + " to a YAML 1.2 reader";
  }
  message += "; quote it, or write what is meant";
  const std::string replacement = '"' + std::string(text) + '"';
  sink_.report(DiagnosticKind::AmbiguousScalar, found.span, std::move(message))
      .at(path())
      .with_label(key ? "this key" : "")
      .fix(found.span, replacement, "write `" + replacement + "` for the string");
}

// --- keys ----------------------------------------------------------------------------------------

void YamlBuilder::bad_key(Span where, std::string_view what) {
  Diagnostic& report =
      sink_.report(DiagnosticKind::NonStringKey, where,
                   "a key of a map is " + std::string(what) + "; a key must be a string");
  if (text_.is_template_line(where.begin)) report.note(std::string(kNotRendered));
  Frame& frame = frames_.back();
  frame.key = {};
  frame.key.span = where;
  frame.key.usable = false;
  frame.has_key = true;
  frame.last_end = where.end;
}

void YamlBuilder::take_key(const Found& found, std::string_view tag) {
  const bool plain = found.style == Style::Plain && tag == "?";
  const bool merge_tag = tag.starts_with(kCoreTag) && tag.substr(kCoreTag.size()) == "merge";
  Key key;
  key.text = found.text;
  key.span = found.span;
  key.merge = found.text == "<<" && (plain || merge_tag);
  if (!key.merge && !is_non_specific(tag)) {
    Node node;
    node.kind = Kind::String;
    set_value(node, found, tag);
    key.text = node.text;
  } else if (plain && !key.merge) {
    const PlainScalar meaning = classify_plain(found.text);
    if (meaning.kubernetes == Kind::Null) {
      return bad_key(found.span, found.missing ? "missing" : "null");
    }
    Node node;
    node.text = key.text;
    if (meaning.ambiguous() && input_.ambiguity == Ambiguity::Refuse) {
      refuse_ambiguous(found, meaning, true);
    } else {
      node.kind = Kind::String;
      plain_value(node, found);
    }
    key.text = node.text;
  }
  Frame& frame = frames_.back();
  frame.key = key;
  frame.has_key = true;
  frame.last_end = key.span.end;
}

void YamlBuilder::take_alias_key(NodeId target, Span where) {
  if (target == kNoNode || !tree_[target].is_scalar()) return bad_key(where, "not a scalar");
  Frame& frame = frames_.back();
  frame.key = {};
  frame.key.text = tree_[target].text;
  frame.key.span = where;
  frame.has_key = true;
  frame.last_end = where.end;
}

NodeId YamlBuilder::find_key(Frame& frame, std::string_view key) {
  if (tree_[frame.node].size < kIndexFrom) return tree_.find(frame.node, key);
  if (frame.index.empty()) {
    for (NodeId child : tree_.children(frame.node)) frame.index.emplace(tree_[child].key, child);
  }
  const auto found = frame.index.find(key);
  return found == frame.index.end() ? kNoNode : found->second;
}

void YamlBuilder::note_key(Frame& frame, NodeId node) {
  if (!frame.index.empty()) frame.index.emplace(tree_[node].key, node);
}

/// Of two equal keys the last one counts, as for kubectl: what follows is checked as it reads it.
void YamlBuilder::take_last(NodeId earlier, NodeId node) {
  const Node before = tree_[earlier];
  tree_[earlier] = tree_[node];
  tree_[earlier].key = before.key;
  tree_[earlier].key_span = before.key_span;
  tree_[earlier].next = before.next;
}

void YamlBuilder::attach_entry(Frame& frame, NodeId node) {
  frame.has_key = false;
  const Key& key = frame.key;
  if (!key.usable) return;
  const NodeId earlier = key.merge ? frame.merge : find_key(frame, key.text);
  if (earlier != kNoNode) {
    const Span first = key.merge ? frame.merge_key : tree_[earlier].key_span;
    Diagnostic& report =
        sink_
            .report(DiagnosticKind::DuplicateKey, key.span,
                    "the key " + in_backticks(key.text) + " appears twice in this map; remove one")
            .also(first, "first here");
    if (frames_.size() == 1 && key.text == "apiVersion") {
      report.fix({key.span.file, key.span.begin, key.span.begin}, "---\n",
                 "write `---` in front of it if another object begins here");
    }
    if (!key.merge) take_last(earlier, node);
    return;
  }
  if (key.merge) {
    frame.merge = node;
    frame.merge_key = key.span;
    frame.before_merge = tree_[frame.node].last;
    return;
  }
  tree_[node].key_span = key.span;
  tree_.append(frame.node, key.text, node);
  note_key(frame, node);
}

}  // namespace trainyard
