#include "unit/schema/built_pack.h"

#include <catch2/catch_test_macros.hpp>

#include "unit/schema/yaml_text.h"

namespace trainyard::testing {
namespace {

std::vector<std::string> lines(const std::vector<Violation>& violations) {
  std::vector<std::string> result;
  for (const Violation& each : violations) {
    const std::string prefix = each.severity == Severity::Error     ? ""
                               : each.severity == Severity::Warning ? "warning: "
                                                                    : "note: ";
    result.push_back(prefix + each.path + ": " + each.message);
  }
  return result;
}

}  // namespace

BuiltPack::BuiltPack(std::string_view schema, bool namespaced) {
  SchemaFacts facts;
  facts.group = "test.io";
  facts.version = "v1";
  facts.kind = "K";
  facts.namespaced = namespaced;
  PackBuilder builder;
  builder.add_kind(facts, tree_of(schema));
  Sink sink;
  image_ = builder.build(sink);
  for (const Diagnostic& each : sink.all()) UNSCOPED_INFO(each.message);
  const auto pack = SchemaPack::open(image_);
  REQUIRE(pack);
  pack_ = *pack;
}

std::vector<std::string> BuiltPack::faults(std::string_view yaml) const {
  const Tree tree = tree_of(yaml);
  return lines(check_schema(pack_, id(), tree, tree.root()));
}

std::vector<std::string> BuiltPack::object_faults(std::string_view yaml) const {
  const Tree tree = tree_of(yaml);
  return lines(Checker(pack_).check_object(kind(), tree, tree.root()));
}

}  // namespace trainyard::testing
