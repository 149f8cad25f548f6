// Flow collections, as far as they are written as in JSON or nearly so.

#include "tree/fast_reader.h"

namespace trainyard {

bool FastReader::flow_node(NodeId& node) {
  const char c = here();
  if (c == '[') return flow_list(node);
  if (c == '{') return flow_map(node);
  Scalar scalar;
  const bool is_quoted = c == '"' || c == '\'';
  if (!flow_scalar(scalar) && !(is_quoted && quoted_lines(0, scalar))) return false;
  return add_scalar(scalar, node);
}

bool FastReader::flow_scalar(Scalar& scalar) {
  const char c = here();
  return c == '"' || c == '\'' ? quoted(scalar) : plain_in_flow(scalar);
}

bool FastReader::flow_list(NodeId& list) {
  if (!open(Kind::Seq, Style::Flow, at_, list)) return false;
  ++at_;
  if (!skip_flow_blank()) return false;
  while (here() != ']') {
    NodeId item = kNoNode;
    if (!flow_node(item) || !skip_flow_blank()) return false;
    add_item(list, item);
    if (here() != ',') break;
    ++at_;
    if (!skip_flow_blank()) return false;
  }
  if (here() != ']') return false;
  (*tree_)[list].span.end = static_cast<std::uint32_t>(++at_);
  --depth_;
  return true;
}

bool FastReader::flow_map(NodeId& map) {
  if (!open(Kind::Map, Style::Flow, at_, map)) return false;
  KeySet keys;
  ++at_;
  if (!skip_flow_blank()) return false;
  while (here() != '}') {
    Scalar key;
    std::string_view name;
    NodeId value = kNoNode;
    if (!flow_key(key) || !key_text(key, name)) return false;
    if (!skip_flow_blank() || !flow_node(value) || !skip_flow_blank()) return false;
    if (!add_entry(map, keys, key, name, value)) return false;
    if (here() != ',') break;
    ++at_;
    if (!skip_flow_blank()) return false;
  }
  if (here() != '}') return false;
  (*tree_)[map].span.end = static_cast<std::uint32_t>(++at_);
  --depth_;
  return true;
}

/// A key with its colon, after which a blank is needed unless the key is quoted.
bool FastReader::flow_key(Scalar& key) {
  if (!flow_scalar(key) || here() != ':') return false;
  return after_colon_key(key) || (key.style != Style::Plain && key.end + 1 == at_);
}

/// Blanks and line breaks; the marks of documents stand in the first column.
bool FastReader::skip_flow_blank() {
  for (;;) {
    skip_spaces();
    if (here() != '\n') break;
    line_ = ++at_;
    if (here() != ' ' && here() != '\n' && here() != ']' && here() != '}') return false;
  }
  return here() != '#' && here() != '\t';
}

}  // namespace trainyard
