#pragma once

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "plan/plan.h"
#include "source/origin.h"
#include "source/source_map.h"
#include "target/template.h"
#include "tree/json.h"
#include "tree/yaml_reader.h"

namespace trainyard {

/// A plan and what it takes to fill a template from it.
struct Workshop {
  SourceMap sources;
  Sink sink;
  Origins origins;
  Plan plan;
  Tree out;

  Tree read(std::string text) {
    const FileId file = sources.add("template.yaml", std::move(text));
    std::vector<Tree> documents = read_yaml(sources, file, sink);
    REQUIRE_FALSE(sink.has_errors());
    REQUIRE(documents.size() == 1);
    return std::move(documents[0]);
  }

  std::optional<Template> compile(std::string text, std::vector<std::string_view> scope = {}) {
    return Template::compile(read(std::move(text)), std::move(scope), sink);
  }

  /// The documents that a template yields, each as one line of JSON.
  std::vector<std::string> fill(std::string text) {
    const NodeId from = static_cast<NodeId>(roots.size());
    keep.push_back(std::make_unique<Template>(compiled(std::move(text), {})));
    if (!pod) pod = std::make_unique<Template>(compiled("image: ${role.image}", {"role"}));
    Filler filler(plan, pod.get(), out, origins, sink);
    for (NodeId root : filler.fill(*keep.back())) roots.push_back(root);
    std::vector<std::string> result;
    for (std::size_t i = from; i < roots.size(); ++i) {
      write_json(out, roots[i], result.emplace_back(), 0);
    }
    return result;
  }

  /// The one document that a template yields.
  std::string fill_one(std::string text) {
    const std::vector<std::string> documents = fill(std::move(text));
    REQUIRE(documents.size() == 1);
    return documents[0];
  }

  Template compiled(std::string text, std::vector<std::string_view> scope) {
    auto result = compile(std::move(text), std::move(scope));
    REQUIRE(result.has_value());
    return std::move(*result);
  }

  Role& add_role(std::string_view name) {
    plan.roles.emplace_back().name = name;
    return plan.roles.back();
  }

  static EnvVar variable(std::string_view name, std::string_view value,
                         OriginId origin = kNoOrigin) {
    EnvVar result;
    result.name = name;
    result.value = value;
    result.origin = origin;
    return result;
  }

  static VolumeMount mounted(std::string_view path, std::string_view sub_path = {}) {
    VolumeMount result;
    result.volume = "data";
    result.path = path;
    result.sub_path = sub_path;
    return result;
  }

  template <class T>
  static Field<T> set(T value, OriginId origin = kNoOrigin) {
    return {value, origin, true};
  }

  std::unique_ptr<Template> pod;
  std::vector<std::unique_ptr<Template>> keep;
  std::vector<NodeId> roots;
};

}  // namespace trainyard
