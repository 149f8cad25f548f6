// Block collections.

#include "tree/fast_reader.h"

namespace trainyard {

/// A node at the cursor. `parent` is the column of the collection around it.
bool FastReader::block_node(long parent, NodeId& node) {
  const auto column = static_cast<long>(at_ - line_);
  if (at_dash()) return block_list(column, node);
  const char c = here();
  if (c == '[' || c == '{' || c == '|' || c == '>') return inline_value(parent, node);
  Scalar scalar;
  if (!value_scalar(parent, scalar)) return false;
  if (here() == ':') return after_colon_key(scalar) && block_map(column, scalar, node);
  return add_scalar(scalar, node) && finish_line() && column_ <= parent;
}

bool FastReader::block_list(long column, NodeId& list) {
  if (!open(Kind::Seq, Style::Block, at_, list)) return false;
  do {
    ++at_;
    const std::size_t after_dash = at_;
    skip_spaces();
    NodeId item = kNoNode;
    if (here() != '\n' && here() != '\0' && here() != '#') {
      if (!block_node(column, item)) return false;
    } else {
      at_ = after_dash;
      if (!finish_line()) return false;
      if (!(column_ > column ? block_node(column, item) : missing_value(after_dash, item))) {
        return false;
      }
    }
    add_item(list, item);
  } while (column_ == column && at_dash());
  --depth_;
  return column_ <= column;
}

/// The cursor is after the colon of the first key.
bool FastReader::block_map(long column, Scalar key, NodeId& map) {
  if (!open(Kind::Map, Style::Block, key.begin, map)) return false;
  KeySet keys;
  for (;;) {
    std::string_view name;
    if (!key_text(key, name)) return false;
    NodeId value = kNoNode;
    if (!map_value(column, value)) return false;
    if (!add_entry(map, keys, key, name, value)) return false;
    if (column_ != column) break;
    if (!block_key(key)) return false;
  }
  --depth_;
  return column_ < column;
}

bool FastReader::block_key(Scalar& key) {
  const char c = here();
  if (at_dash()) return false;
  if (!(c == '"' || c == '\'' ? quoted(key) : plain(key))) return false;
  return here() == ':' && after_colon_key(key);
}

/// Past the colon at the cursor. yaml-cpp takes keys of up to 1024 characters.
bool FastReader::after_colon_key(const Scalar& key) {
  constexpr std::size_t kLongestKey = 1000;
  ++at_;
  return ends_word(at_) && key.end - key.begin <= kLongestKey && key.end + 1 == at_;
}

bool FastReader::map_value(long column, NodeId& node) {
  const std::size_t after_colon = at_;
  skip_spaces();
  if (here() != '\n' && here() != '\0' && here() != '#') return inline_value(column, node);
  at_ = after_colon;
  if (!finish_line()) return false;
  if (column_ > column) return block_node(column, node);
  if (column_ == column && at_dash()) return block_list(column, node);
  return missing_value(after_colon, node);
}

/// A value that begins in the line of its key or dash, and is no block collection.
bool FastReader::inline_value(long parent, NodeId& node) {
  const char c = here();
  if (c == '|' || c == '>') return block_text(parent, node) && column_ <= parent;
  if (c == '[' || c == '{') {
    return flow_node(node) && finish_line() && column_ <= parent;
  }
  Scalar scalar;
  if (!value_scalar(parent, scalar) || here() == ':') return false;
  return add_scalar(scalar, node) && finish_line() && column_ <= parent;
}

bool FastReader::missing_value(std::size_t where, NodeId& node) {
  return add(Kind::Null, Style::Plain, where, node);
}

}  // namespace trainyard
