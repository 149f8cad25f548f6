#pragma once

#include <string_view>

#include "source/arena.h"
#include "tree/scalar.h"
#include "tree/tree.h"

namespace trainyard {

/// Makes `node` the value that an unquoted `text` is to Kubernetes: its kind, and its text in the
/// form that the kind has.
inline void set_plain_value(Node& node, std::string_view text, Kind kind, Arena& arena) {
  node.kind = kind;
  node.text = text;
  switch (kind) {
    case Kind::Null:
      node.text = {};
      break;
    case Kind::Bool:
      node.text = true_word(text) ? "true" : "false";
      break;
    case Kind::Int:
      node.text = decimal_text(text, arena);
      break;
    case Kind::Float:
      node.text = float_text(text, arena);
      break;
    default:
      break;
  }
}

}  // namespace trainyard
