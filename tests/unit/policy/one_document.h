#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/tree.h"
#include "tree/yaml_reader.h"

namespace trainyard::testing {

/// One document of YAML, which must be without faults.
struct Document {
  SourceMap sources;
  Tree tree;

  explicit Document(const std::string& yaml) {
    Sink sink;
    std::vector<Tree> trees = read_yaml(sources, sources.add("a.yaml", yaml), sink, {});
    for (const Diagnostic& d : sink.all()) UNSCOPED_INFO(d.message);
    REQUIRE_FALSE(sink.has_errors());
    REQUIRE(trees.size() == 1);
    tree = std::move(trees.front());
  }
  View root() const { return View(tree, tree.root()); }
};

}  // namespace trainyard::testing
