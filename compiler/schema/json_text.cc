#include "schema/json_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kLineWidth = 160;

void append_spaced(const Tree& tree, NodeId id, std::string_view space, std::string& out);

void append_children(const Tree& tree, NodeId id, std::string_view space, std::string& out) {
  const bool map = tree[id].is_map();
  bool first = true;
  for (const NodeId child : tree.children(id)) {
    if (!first) out.append(",").append(space);
    first = false;
    if (map) {
      append_json_string(tree[child].key, out);
      out.append(":").append(space);
    }
    append_spaced(tree, child, space, out);
  }
}

void append_spaced(const Tree& tree, NodeId id, std::string_view space, std::string& out) {
  const Node& node = tree[id];
  switch (node.kind) {
    case Kind::Null:
      out += "null";
      break;
    case Kind::Bool:
    case Kind::Int:
    case Kind::Float:
      out += node.text;
      break;
    case Kind::String:
      append_json_string(node.text, out);
      break;
    case Kind::Seq:
    case Kind::Map:
      out += node.is_map() ? '{' : '[';
      append_children(tree, id, space, out);
      out += node.is_map() ? '}' : ']';
      break;
  }
}

/// True when the value fits into `room` characters on one line; what it wrote is taken back if not.
bool append_short(const Tree& tree, NodeId id, std::size_t room, std::string& out) {
  const std::size_t before = out.size();
  append_spaced(tree, id, " ", out);
  if (tree[id].is_scalar() || out.size() - before <= room) return true;
  out.resize(before);
  return false;
}

void append_lines(const Tree& tree, NodeId id, std::size_t indent, std::string& out) {
  const std::size_t used = out.size() - (out.rfind('\n') + 1);  // npos + 1 is 0
  const std::size_t room = used < kLineWidth ? kLineWidth - used : 0;
  if (append_short(tree, id, room, out)) return;
  const bool map = tree[id].is_map();
  out += map ? '{' : '[';
  bool first = true;
  for (const NodeId child : tree.children(id)) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 1, ' ');
    if (map) {
      append_json_string(tree[child].key, out);
      out += ": ";
    }
    append_lines(tree, child, indent + 1, out);
  }
  out += '\n';
  out.append(indent, ' ');
  out += map ? '}' : ']';
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json(const Tree& tree, NodeId id, std::string& out) {
  append_spaced(tree, id, "", out);
}

void append_json_lines(const Tree& tree, NodeId id, std::string& out) {
  append_lines(tree, id, 0, out);
  out += '\n';
}

}  // namespace trainyard
