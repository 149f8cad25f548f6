#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "convert/convert.h"
#include "tree/json.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard::testing {

/// A manifest and what its first job is converted to.
struct ConvertedText {
  SourceMap sources;
  Sink sink;
  std::vector<Tree> documents;
  std::vector<View> objects;
  Tree tree;
  Origins origins;
  ConvertedJob job;

  explicit ConvertedText(std::string_view yaml) {
    const FileId file = sources.add("case.yaml", std::string(yaml));
    documents = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
    REQUIRE_FALSE(sink.has_errors());
    convert();
  }

  void convert() {
    objects.clear();
    for (const Tree& each : documents) objects.emplace_back(each, each.root());
    for (View each : objects) {
      if (!is_convertible(each)) continue;
      job = convert_object({objects, versions, SchemaPack::builtin()}, each, tree, origins, sink);
      return;
    }
  }

  View spec() const { return View(tree, job.root)["spec"]; }
  /// Paths of what was not carried, a space between.
  std::string lost() const {
    std::string text;
    for (const NotCarried& each : job.lost) text += (text.empty() ? "" : " ") + each.path;
    return text;
  }
  /// A part of the spec as JSON; "" for none.
  std::string json(std::initializer_list<std::string_view> path) const {
    View at = spec();
    for (std::string_view key : path) at = at[key];
    std::string text;
    if (at) write_json(at.tree(), at.id(), text, 0);
    return text;
  }

  Versions versions;
};

}  // namespace trainyard::testing
