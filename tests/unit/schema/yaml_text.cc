#include "unit/schema/yaml_text.h"

#include <catch2/catch_test_macros.hpp>

#include "tree/yaml_reader.h"

namespace trainyard::testing {
namespace {

void take_as_written(Tree& tree, const SourceMap& sources) {
  for (NodeId id = 0; id < tree.size(); ++id) {
    Node& node = tree[id];
    if (node.key_span.known() && sources.text(node.key_span).size() == 1) {
      node.key = sources.text(node.key_span);
    }
    const std::string_view text = node.span.known() ? sources.text(node.span) : node.text;
    if (node.kind != Kind::Bool || text == "true" || text == "false") continue;
    node.kind = Kind::String;
    node.text = text;
  }
}

}  // namespace

Tree tree_of(std::string_view text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add_view("text", text);
  std::vector<Tree> read = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  for (const Diagnostic& d : sink.all()) UNSCOPED_INFO(d.message);
  REQUIRE(read.size() == 1);
  REQUIRE_FALSE(sink.has_errors());
  take_as_written(read[0], sources);
  Tree tree;  // that does not need the text any more
  tree.set_root(tree.copy(read[0], read[0].root()));
  return tree;
}

}  // namespace trainyard::testing
