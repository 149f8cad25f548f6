#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "diag/sink.h"
#include "folders.h"
#include "source/source_map.h"
#include "tree/tree.h"
#include "tree/yaml_reader.h"

namespace trainyard::testing {

/// One document with everything that its spans and texts need.
struct Document {
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;

  explicit Document(std::string text) {
    const FileId file = sources.add("spec.yaml", std::move(text));
    trees = read_yaml(sources, file, sink);
    for (const Diagnostic& diagnostic : sink.all()) UNSCOPED_INFO(diagnostic.message);
    REQUIRE_FALSE(sink.has_errors());
    REQUIRE(trees.size() == 1);
  }
  const Tree& tree() const { return trees.front(); }
  NodeId root() const { return trees.front().root(); }
  std::string_view at(Span span) const { return sources.text(span); }
};

/// All files with this name or extension below a folder of the repository, in a stable order.
inline std::vector<std::filesystem::path> files_below(const std::string& folder,
                                                      const std::string& extension) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(repository() / folder)) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  REQUIRE_FALSE(found.empty());
  return found;
}

}  // namespace trainyard::testing
