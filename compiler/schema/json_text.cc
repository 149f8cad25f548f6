#include "schema/json_text.h"

#include "tree/json.h"
#include "tree/quoted_text.h"
#include "tree/text_buffer.h"

namespace trainyard {
namespace {

constexpr std::size_t kLineWidth = 160;

void append_spaced(const Tree& tree, NodeId id, std::string& out);

void append_key(std::string_view key, std::string& out) {
  TextBuffer buffer(out);
  put_double_quoted(buffer, key);
}

void append_children(const Tree& tree, NodeId id, std::string& out) {
  const bool map = tree[id].is_map();
  bool first = true;
  for (const NodeId child : tree.children(id)) {
    if (!first) out += ", ";
    first = false;
    if (map) {
      append_key(tree[child].key, out);
      out += ": ";
    }
    append_spaced(tree, child, out);
  }
}

void append_spaced(const Tree& tree, NodeId id, std::string& out) {
  if (tree[id].is_scalar()) return write_json(tree, id, out, 0);
  out += tree[id].is_map() ? '{' : '[';
  append_children(tree, id, out);
  out += tree[id].is_map() ? '}' : ']';
}

/// True when the value fits into `room` characters on one line; what it wrote is taken back if not.
bool append_short(const Tree& tree, NodeId id, std::size_t room, std::string& out) {
  const std::size_t before = out.size();
  append_spaced(tree, id, out);
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
      append_key(tree[child].key, out);
      out += ": ";
    }
    append_lines(tree, child, indent + 1, out);
  }
  out += '\n';
  out.append(indent, ' ');
  out += map ? '}' : ']';
}

}  // namespace

void append_json(const Tree& tree, NodeId id, std::string& out) {
  write_json(tree, id, out, 0);
}

void append_json_lines(const Tree& tree, NodeId id, std::string& out) {
  append_lines(tree, id, 0, out);
  out += '\n';
}

}  // namespace trainyard
