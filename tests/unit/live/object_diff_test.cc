#include "driver/plan/object_diff.h"

#include <catch2/catch_test_macros.hpp>

#include "cluster/json_document.h"
#include "growth.h"

using namespace trainyard;

namespace {

std::vector<ValueChange> diff(const std::string& before, const std::string& after) {
  const JsonAnswer old = JsonDocument::read(before);
  const JsonAnswer next = JsonDocument::read(after);
  REQUIRE(old != nullptr);
  REQUIRE(next != nullptr);
  return changes_between(old->root(), next->root());
}

/// `path: before -> after` for each change.
std::string lines(const std::vector<ValueChange>& changes) {
  std::string text;
  for (const ValueChange& change : changes) {
    text += change.path + ": " + change.before + " -> " + change.after + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a value of a Secret is never shown") {
  const auto changes = diff(R"({"kind":"Secret","data":{"a":"b2xk"}})",
                            R"({"kind":"Secret","data":{"a":"bmV3","b":"bmV3"}})");
  CHECK(lines(changes) == "data.a: •••• -> ••••\ndata.b:  -> ••••\n");
}

TEST_CASE("a variable that is named as a credential is masked") {
  const auto changes = diff(
      R"({"kind":"Pod","spec":{"containers":[{"name":"main","env":[{"name":"HF_TOKEN","value":"abcdefgh12345"}]}]}})",
      R"({"kind":"Pod","spec":{"containers":[{"name":"main","env":[{"name":"HF_TOKEN","value":"ijklmnop67890"}]}]}})");
  CHECK(lines(changes) == "spec.containers[main].env[HF_TOKEN].value: •••• -> ••••\n");
}

TEST_CASE("what a terminal would obey is made harmless in values") {
  const auto changes = diff(R"({"kind":"X","a":"plain"})", R"({"kind":"X","a":"\u001b[31mred"})");
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].after.find('\x1b') == std::string::npos);
}

TEST_CASE("what the server writes into metadata and status is no change") {
  CHECK(
      diff(
          R"({"kind":"X","metadata":{"resourceVersion":"1","generation":1,"managedFields":[]},"status":{"a":1}})",
          R"({"kind":"X","metadata":{"resourceVersion":"2","generation":2},"status":{"a":2}})")
          .empty());
}

TEST_CASE("items of lists are distinguished by their names, in any order") {
  const auto changes = diff(
      R"({"kind":"X","spec":{"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}})",
      R"({"kind":"X","spec":{"env":[{"name":"B","value":"3"},{"name":"A","value":"1"},{"name":"C"}]}})");
  CHECK(lines(changes) == "spec.env[B].value: 2 -> 3\nspec.env[C]:  -> {\"name\":\"C\"}\n");
}

TEST_CASE("items with the same name twice are distinguished by their place") {
  const auto changes = diff(R"({"kind":"X","spec":{"args":[{"name":"A"},{"name":"A","v":1}]}})",
                            R"({"kind":"X","spec":{"args":[{"name":"A"},{"name":"A","v":2}]}})");
  CHECK(lines(changes) == "spec.args[1].v: 1 -> 2\n");
}

TEST_CASE("a label with dots and slashes is one step of a path") {
  const auto changes = diff(R"({"kind":"X","metadata":{"labels":{}}})",
                            R"({"kind":"X","metadata":{"labels":{"a.b/c":"1"}}})");
  CHECK(lines(changes) == "metadata.labels[a.b/c]:  -> 1\n");
}

TEST_CASE("comparing grows with the number of variables and labels") {
  const auto text = [](std::size_t count, const char* value) {
    std::string list;
    std::string labels;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      list += (i == 0 ? "{\"name\":\"N" : ",{\"name\":\"N") + n + "\",\"value\":\"" + value + "\"}";
      labels += (i == 0 ? "\"l" : ",\"l") + n + "\":\"" + value + "\"";
    }
    return "{\"kind\":\"X\",\"metadata\":{\"labels\":{" + labels + "}},\"env\":[" + list + "]}";
  };
  const double found = testing::growth(500, [&](std::size_t count) {
    const JsonAnswer old = JsonDocument::read(text(count, "a"));
    const JsonAnswer next = JsonDocument::read(text(count, "b"));
    REQUIRE(changes_between(old->root(), next->root()).size() == 2 * count);
  });
  CHECK(found < testing::kMostGrowth);
}
