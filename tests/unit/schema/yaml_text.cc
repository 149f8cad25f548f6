#include "unit/schema/yaml_text.h"

#include <catch2/catch_test_macros.hpp>

#include "tree/yaml_reader.h"

namespace trainyard::testing {

Tree tree_of(std::string_view text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add_view("text", text);
  const std::vector<Tree> read = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  for (const Diagnostic& d : sink.all()) UNSCOPED_INFO(d.message);
  REQUIRE(read.size() == 1);
  REQUIRE_FALSE(sink.has_errors());
  Tree tree;  // that does not need the text any more
  tree.set_root(tree.copy(read[0], read[0].root()));
  return tree;
}

}  // namespace trainyard::testing
