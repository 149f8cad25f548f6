#include "tree/yaml_writer.h"

#include "tree/integer_text.h"
#include "tree/quoted_text.h"
#include "tree/scalar_style.h"
#include "tree/text_buffer.h"

namespace trainyard {
namespace {

constexpr std::size_t kStep = 2;  // spaces by which a nested block is moved in

/// Readers look for the `:` of a key within 1,024 characters of its start. Longer keys need the
/// explicit form `? key`.
constexpr std::size_t kLongestKey = 1000;
constexpr std::size_t kLongestEscape = 6;  // `\u0085`

void put_single_quoted(TextBuffer& out, std::string_view text) {
  out.put('\'');
  for (char c : text) {
    if (c == '\'') out.put('\'');
    out.put(c);
  }
  out.put('\'');
}

/// The header of a literal block. A first line that starts with white space would be taken for
/// indentation, so then the indentation is stated.
void put_literal_header(TextBuffer& out, std::string_view text) {
  out.put('|');
  const char first = text.front();
  if (first == ' ' || first == '\t' || first == '\n') out.put(static_cast<char>('0' + kStep));
  if (!text.ends_with('\n')) {
    out.put('-');
  } else if (text.ends_with("\n\n")) {
    out.put('+');
  }
  out.put('\n');
}

/// The lines of a literal block, each with its line break; empty lines get no spaces.
void put_literal_lines(TextBuffer& out, std::string_view text, std::size_t indent) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (;;) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) out.put_spaces(indent);
    out.put(line);
    out.put('\n');
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void put_string(TextBuffer& out, std::string_view text, StringStyle style, std::size_t indent) {
  switch (style) {
    case StringStyle::Plain:
      return out.put(text);
    case StringStyle::SingleQuoted:
      return put_single_quoted(out, text);
    case StringStyle::DoubleQuoted:
      return put_double_quoted(out, text);
    case StringStyle::Literal:
      put_literal_header(out, text);
      return put_literal_lines(out, text, indent);
  }
}

template <class Test, class Convert>
void put_number(TextBuffer& out, std::string_view text, Test is_canonical, Convert convert) {
  if (is_canonical(text)) {
    out.put(text);
  } else if (const auto number = convert(text)) {
    out.put(*number);
  } else {
    put_double_quoted(out, text);  // no number that all readers know: never let them guess
  }
}

/// A scalar or an empty collection, with its line break.
void put_inline(TextBuffer& out, const Node& node, std::size_t indent, StringPlace place) {
  switch (node.kind) {
    case Kind::Null:
      out.put("null");
      break;
    case Kind::Bool:
      out.put(node.text);
      break;
    case Kind::Int:
      put_number(out, node.text, is_canonical_int, canonical_int);
      break;
    case Kind::Float:
      put_number(out, node.text, is_canonical_float, canonical_float);
      break;
    case Kind::String: {
      const StringStyle style = choose_style(node.text, place);
      if (style == StringStyle::Plain) return out.put(node.text, '\n');
      put_string(out, node.text, style, indent);
      if (style == StringStyle::Literal) return;  // its last line break is written
      break;
    }
    case Kind::Seq:
      out.put("[]");
      break;
    case Kind::Map:
      out.put("{}");
      break;
  }
  out.put('\n');
}

bool is_block(const Node& node) {
  return !node.is_scalar() && node.size > 0;
}

class YamlWriter {
 public:
  YamlWriter(const Tree& tree, std::string& out, std::vector<WrittenNode>* written)
      : tree_(tree), out_(out), written_(written) {}

  void write_root(NodeId root) {
    const std::size_t slot = begin(root);
    if (is_block(tree_[root])) {
      write_block(tree_[root], 0, StringPlace::LastValue);
    } else {
      put_inline(out_, tree_[root], 0, StringPlace::Root);
    }
    end(slot);
  }

 private:
  /// Lines of a collection with children. The spaces of the first line are written already.
  void write_block(const Node& parent, std::size_t indent, StringPlace place) {
    const bool is_map = parent.is_map();
    for (NodeId child = parent.first; child != kNoNode;) {
      const Node& node = tree_[child];
      if (child != parent.first) out_.put_spaces(indent);
      if (!is_map) out_.put("- ");
      const std::size_t slot = begin(child);
      const StringPlace child_place = node.next != kNoNode ? StringPlace::Value : place;
      is_map ? write_entry(node, indent, child_place) : write_item(node, indent, child_place);
      end(slot);
      child = node.next;
    }
  }

  void write_item(const Node& node, std::size_t indent, StringPlace place) {
    if (is_block(node)) {
      write_block(node, indent + kStep, place);
    } else {
      put_inline(out_, node, indent + kStep, place);
    }
  }

  void write_entry(const Node& node, std::size_t indent, StringPlace place) {
    const bool is_explicit = write_key(node.key, indent);
    if (is_block(node)) {
      // A list stands under its key without a step, as kubectl and kustomize print it.
      const bool step = node.is_map() || is_explicit;
      const std::size_t inner = indent + (step ? kStep : 0);
      out_.put('\n');
      out_.put_spaces(inner);
      write_block(node, inner, place);
    } else {
      out_.put(' ');
      put_inline(out_, node, indent + kStep, place);
    }
  }

  /// The key with its colon; true when it has the explicit form.
  bool write_key(std::string_view key, std::size_t indent) {
    const StringStyle style = choose_style(key, StringPlace::Key);
    if (style == StringStyle::Plain && key.size() <= kLongestKey) {
      out_.put(key, ':');
      return false;
    }
    const std::size_t growth = style == StringStyle::Plain ? 1 : kLongestEscape;
    const bool is_explicit = key.size() > kLongestKey / growth;
    if (is_explicit) out_.put("? ");
    put_string(out_, key, style, 0);
    if (is_explicit) {
      out_.put('\n');
      out_.put_spaces(indent);
    }
    out_.put(':');
    return is_explicit;
  }

  std::size_t begin(NodeId id) {
    if (written_ == nullptr) return 0;
    written_->push_back({id, static_cast<std::uint32_t>(out_.size()), 0});
    return written_->size() - 1;
  }
  void end(std::size_t slot) {
    if (written_ != nullptr) (*written_)[slot].end = static_cast<std::uint32_t>(out_.size() - 1);
  }

  const Tree& tree_;
  TextBuffer out_;
  std::vector<WrittenNode>* written_;
};

}  // namespace

void write_yaml(const Tree& tree, NodeId root, std::string& out,
                std::vector<WrittenNode>* written) {
  YamlWriter(tree, out, written).write_root(root);
}

}  // namespace trainyard
