#include "tree/json.h"

#include "tree/integer_text.h"
#include "tree/quoted_text.h"
#include "tree/text_buffer.h"

namespace trainyard {
namespace {

class JsonWriter {
 public:
  JsonWriter(const Tree& tree, std::string& out, int indent)
      : tree_(tree), out_(out), step_(indent > 0 ? static_cast<std::size_t>(indent) : 0) {}

  void write(NodeId id, std::size_t depth) {
    const Node& node = tree_[id];
    switch (node.kind) {
      case Kind::Null:
        return out_.put("null");
      case Kind::Bool:
        return out_.put(node.text);
      case Kind::Int:
        return write_number(node.text, canonical_int(node.text));
      case Kind::Float:
        return write_number(node.text, canonical_float(node.text));
      case Kind::String:
        return put_double_quoted(out_, node.text);
      case Kind::Seq:
      case Kind::Map:
        return write_collection(id, depth);
    }
  }

 private:
  void write_number(std::string_view text, const std::optional<std::string>& number) {
    const bool is_json = number && number->find_first_of("infa") == std::string::npos;
    is_json ? out_.put(*number) : put_double_quoted(out_, number ? *number : text);
  }

  void write_collection(NodeId id, std::size_t depth) {
    const bool is_map = tree_[id].is_map();
    out_.put(is_map ? '{' : '[');
    for (NodeId child = tree_[id].first; child != kNoNode; child = tree_[child].next) {
      if (child != tree_[id].first) out_.put(',');
      break_line(depth + 1);
      if (is_map) write_key(tree_[child].key);
      write(child, depth + 1);
    }
    if (tree_[id].size > 0) break_line(depth);
    out_.put(is_map ? '}' : ']');
  }

  void write_key(std::string_view key) {
    put_double_quoted(out_, key);
    out_.put(step_ > 0 ? std::string_view(": ") : std::string_view(":"));
  }

  void break_line(std::size_t depth) {
    if (step_ == 0) return;
    out_.put('\n');
    out_.put_spaces(depth * step_);
  }

  const Tree& tree_;
  TextBuffer out_;
  std::size_t step_;
};

}  // namespace

void write_json(const Tree& tree, NodeId root, std::string& out, int indent) {
  JsonWriter(tree, out, indent).write(root, 0);
}

}  // namespace trainyard
