// Objects of custom resources: what we say of them, and what the API server's own code says.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "file_text.h"
#include "folders.h"
#include "property/oracle.h"
#include "schema/import.h"
#include "schema/pack_builder.h"
#include "schema/schema_check.h"
#include "tree/json.h"
#include "tree/yaml_reader.h"

using namespace trainyard;
using nlohmann::json;
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

/// A text with its tree.
struct Read {
  SourceMap sources;
  Tree tree;
};

std::unique_ptr<Read> read(const std::string& text) {
  auto result = std::make_unique<Read>();
  Sink sink;
  const FileId file = result->sources.add("text", text);
  std::vector<Tree> trees = read_yaml(result->sources, file, sink, {}, Ambiguity::Kubernetes);
  for (const Diagnostic& each : sink.all()) UNSCOPED_INFO(each.message);
  REQUIRE(trees.size() == 1);
  result->tree = std::move(trees[0]);
  return result;
}

json cases() {
  const auto file = read(read_file(repository() / "tests/property/object_cases.yaml"));
  std::string as_json;
  write_json(file->tree, file->tree.root(), as_json, 0);
  return json::parse(as_json);
}

json definition(const json& one) {
  json schema = one.value("root", json::object());
  schema["type"] = "object";
  schema["properties"]["spec"] = one["spec"];
  json version = {{"name", "v1"}, {"served", true}, {"storage", true}};
  version["schema"]["openAPIV3Schema"] = schema;
  if (one.contains("subresources")) version["subresources"] = one["subresources"];
  json crd = {{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "CustomResourceDefinition"}};
  crd["metadata"]["name"] = "ks.test.io";
  crd["spec"] = {{"group", "test.io"},
                 {"scope", "Namespaced"},
                 {"names", {{"kind", "K"}, {"plural", "ks"}, {"listKind", "KList"}}},
                 {"versions", json::array({version})}};
  return crd;
}

json whole(json object) {
  for (const char* key : {"at", "warned", "also"}) object.erase(key);
  object["apiVersion"] = "test.io/v1";
  object["kind"] = "K";
  if (!object.contains("metadata")) object["metadata"]["name"] = "a";
  return object;
}

/// An object of a case, and what is to be found.
struct Attempt {
  std::string name;
  json crd, object, old;
  std::vector<std::string> wrong, warned, also;
  bool stricter = false;
};

std::vector<std::string> paths(const json& object, const char* key) {
  return object.value(key, std::vector<std::string>());
}

std::vector<Attempt> attempts() {
  std::vector<Attempt> result;
  for (const json& one : cases()) {
    const json crd = definition(one);
    const auto add = [&](const json& row, json object, json old) {
      result.push_back({one["holds"].get<std::string>() + ": " + row.dump(), crd, std::move(object),
                        std::move(old), paths(row, "at"), paths(row, "warned"),
                        paths(row, "also")});
    };
    for (const std::string list : {"accepted", "refused", "stricter"}) {
      for (const json& row : one.value(list, json::array())) {
        CHECK(row.contains("at") == (list != "accepted"));
        add(row, whole(row), nullptr);
        result.back().stricter = list == "stricter";
      }
    }
    for (const json& row : one.value("changes", json::array())) {
      add(row, whole(row["new"]), whole(row["old"]));
    }
  }
  return result;
}

std::vector<Violation> violations(const Attempt& attempt) {
  Sink sink;
  const auto crd = read(attempt.crd.dump());
  PackBuilder builder(&SchemaPack::builtin());
  for (ImportedSchema& each : import_crd(crd->tree, "test", sink)) {
    builder.add_kind(std::move(each.facts), std::move(each.schema));
  }
  const std::string image = builder.build(sink);
  for (const Diagnostic& each : sink.all()) UNSCOPED_INFO(each.message);
  const auto pack = SchemaPack::open(image);
  REQUIRE(pack);
  const auto object = read(attempt.object.dump());
  const auto old = attempt.old.is_null() ? nullptr : read(attempt.old.dump());
  return Checker(*pack).check_object(pack->kinds().front(), object->tree, object->tree.root(),
                                     old == nullptr ? nullptr : &old->tree);
}

bool begins(std::string_view path, std::string_view with) {
  return path.starts_with(with) &&
         (path.size() == with.size() || path[with.size()] == '.' || path[with.size()] == '[');
}

/// Where the server leaves out the indices of a list, they do not count.
std::string without_indices(std::string_view path) {
  std::string result;
  bool inside = false;
  for (char c : path) {
    inside = c == '[' || (inside && c != ']');
    if (!inside && c != ']') result += c;
  }
  return result;
}

/// One place is in the other; `.` is everywhere.
bool near(std::string_view a, std::string_view b) {
  return a == "." || begins(a, b) || begins(b, a) || a == without_indices(b);
}

bool near_any(std::string_view path, const std::vector<std::string>& places) {
  return std::ranges::any_of(places, [&](const std::string& each) { return near(path, each); });
}

}  // namespace

TEST_CASE("objects of custom resources are refused where the cases say, and nowhere else") {
  int count = 0;
  for (const Attempt& attempt : attempts()) {
    INFO(attempt.name);
    std::vector<std::string> wrong;
    std::vector<std::string> warned;
    for (const Violation& each : violations(attempt)) {
      UNSCOPED_INFO(each.path << ": " << each.message);
      (each.severity == Severity::Error ? wrong : warned).push_back(each.path);
    }
    CHECK(wrong.size() == attempt.wrong.size());
    for (std::size_t i = 0; i < std::min(wrong.size(), attempt.wrong.size()); ++i) {
      CHECK(begins(wrong[i], attempt.wrong[i]));
    }
    CHECK(warned == attempt.warned);
    ++count;
  }
  CHECK(count > 150);
}

TEST_CASE("the API server refuses what the cases say, at the same places", "[go]") {
  const Oracle oracle = cel_oracle("objects");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  const std::vector<Attempt> all = attempts();
  std::string lines;
  for (const Attempt& attempt : all) {
    json line = {{"crd", attempt.crd}, {"object", attempt.object}};
    if (!attempt.old.is_null()) line["old"] = attempt.old;
    lines += line.dump() + "\n";
  }
  const auto answers = ask(oracle, "objects", lines);
  REQUIRE(answers.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name << "\nthe API server: " << answers[i]);
    std::istringstream words(answers[i]);
    std::string verdict;
    words >> verdict;
    CHECK(verdict == (all[i].wrong.empty() || all[i].stricter ? "accepted" : "refused"));
    for (std::string path; words >> path;) {
      CHECK((near_any(path, all[i].wrong) || near_any(path, all[i].also)));
    }
  }
}
