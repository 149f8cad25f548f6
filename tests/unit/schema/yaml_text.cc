#include "unit/schema/yaml_text.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <string>

namespace trainyard::testing {
namespace {

template <class Number>
bool is(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Kind kind_of(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return Kind::String;
  if (text == "true" || text == "false") return Kind::Bool;
  if (text == "null" || text == "~" || text.empty()) return Kind::Null;
  if (is<long>(text)) return Kind::Int;
  return is<double>(text) ? Kind::Float : Kind::String;
}

NodeId add(Tree& tree, const YAML::Node& node) {
  if (node.IsMap()) {
    const NodeId map = tree.add_map();
    for (const auto& entry : node) {
      tree.append(map, tree.intern(entry.first.Scalar()), add(tree, entry.second));
    }
    return map;
  }
  if (node.IsSequence()) {
    const NodeId seq = tree.add_seq();
    for (const auto& item : node) tree.append(seq, add(tree, item));
    return seq;
  }
  if (!node.IsScalar()) return tree.add(Kind::Null);
  return tree.add(kind_of(node), tree.intern(node.Scalar()));
}

}  // namespace

Tree tree_of(std::string_view text) {
  Tree tree;
  tree.set_root(add(tree, YAML::Load(std::string(text))));
  return tree;
}

}  // namespace trainyard::testing
