// Every CEL rule of schemas/ has a value that keeps it and one that breaks it.

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "file_text.h"
#include "folders.h"
#include "schema/rule_run.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::read_file;
using trainyard::testing::tree_of;
namespace fs = std::filesystem;

namespace {

const Tree& rule_cases() {
  static const std::string text =
      read_file(testing::repository() / "tests/unit/schema/rule_cases.yaml");
  static const Tree tree = tree_of(text);
  return tree;
}

/// The table of the collected rules has one space where a rule has several.
std::string collapsed(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c != ' ' || !result.ends_with(' ')) result += c;
  }
  return result;
}

View find_case(std::string_view rule) {
  const Tree& tree = rule_cases();
  for (NodeId each : tree.children(tree.root())) {
    if (collapsed(View(tree, each)["rule"].text()) == collapsed(rule)) return {tree, each};
  }
  return {};
}

/// Whether the type of a value fits and, of a list, that of its first item.
bool fits(const SchemaNode& schema, View value) {
  switch (value->kind) {
    case Kind::Map:
      return schema.types & kObject;
    case Kind::Seq:
      return (schema.types & kArray) &&
             (value->size == 0 ||
              fits(SchemaPack::builtin()[schema.items], View(value.tree(), value->first)));
    case Kind::String:
      return schema.types & kString;
    case Kind::Bool:
      return schema.types & kBoolean;
    default:
      return schema.types & (kInteger | kNumber);
  }
}

/// How many values of a list fit the schema and come out as they should.
int tried(const SchemaRule& rule, SchemaId schema, View values, RuleResult::Kind wanted) {
  const SchemaPack& pack = SchemaPack::builtin();
  int count = 0;
  for (NodeId each : values.tree().children(values.id())) {
    const View value(values.tree(), each);
    const View self = value["self"];
    const View before = value["oldSelf"];
    if (!fits(pack[schema], self)) continue;
    Rules rules(pack);
    RuleRun run(pack, rules, values.tree(), self.id(), {&values.tree(), before.id()});
    const RuleResult result = run.evaluate(rule, schema, self.id(), before.id());
    INFO("value " << count << ": " << result.message);
    CHECK(result.kind == wanted);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("every rule of schemas/ compiles, and has values that keep and that break it") {
  const SchemaPack& pack = SchemaPack::builtin();
  std::set<std::string_view> texts;
  int places = 0;
  for (SchemaId id = 0; id < pack.size(); ++id) {
    for (const SchemaRule& rule : pack.rules(pack[id])) {
      const std::string_view text = pack.text(rule.rule);
      INFO(text);
      CHECK(rule_fault(text).value_or("") == "");
      const View found = find_case(text);
      REQUIRE(found);
      CHECK(tried(rule, id, found["pass"], RuleResult::Kind::Holds) > 0);
      CHECK(tried(rule, id, found["fail"], RuleResult::Kind::Broken) > 0);
      texts.insert(text);
      ++places;
    }
  }
  CHECK(places > 150);
  CHECK(rule_cases()[rule_cases().root()].size == texts.size());
}

TEST_CASE("every rule of the collected CRDs compiles and has its values") {
  const fs::path path = trainyard::testing::shared_folder() / "crds" / "CEL.tsv";
  if (!fs::exists(path)) SKIP(trainyard::testing::missing_definitions(path));
  std::istringstream lines(read_file(path));
  std::string line;
  std::getline(lines, line);
  int count = 0;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string rule;
    for (int i = 0; i < 6; ++i) std::getline(cells, rule, '\t');
    INFO(rule);
    CHECK(rule_fault(rule).value_or("") == "");
    const View values = find_case(rule);
    REQUIRE(values);
    for (std::string_view side : {"pass", "fail"}) {
      const View list = values[side];
      CHECK((list && list->is_seq() && list->size != 0));
    }
    ++count;
  }
  // Each of the values is tried by the case above, which wants one of each sort for every rule.
  CHECK(count >= 258);
}
