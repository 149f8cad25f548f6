#include "tree/node_words.h"

#include <string_view>

namespace trainyard {

std::string shown(const Node& node) {
  switch (node.kind) {
    case Kind::Null:
      return "`null`";
    case Kind::Map:
      return "a map";
    case Kind::Seq:
      return "a list";
    case Kind::String: {
      const std::string_view kept = cut_for_message(node.text);
      std::string text = quoted(kept);
      if (kept.size() < node.text.size()) text.insert(text.size() - 1, "...");
      return "`" + text + "`";
    }
    default:
      return shown(node.text);
  }
}

std::string described(const Node& node) {
  if (!node.is_scalar()) return shown(node);
  if (node.kind == Kind::Null) return "`null`";
  return "the " + std::string(word(node.kind)) + " " + shown(node);
}

}  // namespace trainyard
