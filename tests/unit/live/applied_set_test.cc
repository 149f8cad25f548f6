#include "live/applied_set.h"

#include <catch2/catch_test_macros.hpp>

#include "cluster/json_document.h"

using namespace trainyard;

namespace {

std::optional<AppliedSet> read(const std::string& json) {
  const JsonAnswer answer = JsonDocument::read(json);
  REQUIRE(answer != nullptr);
  return read_applied_set(answer->root());
}

}  // namespace

TEST_CASE("a ConfigMap that is no record of Trainyard is not read as one") {
  CHECK_FALSE(read(R"({"metadata":{"name":"trainyard-a"}})"));
  CHECK_FALSE(read(R"({"metadata":{"name":"other"},"data":{"job":"a","objects":"[]"}})"));
  CHECK_FALSE(read(R"({"metadata":{"name":"trainyard-a"},"data":{"job":"a","objects":"[{}]"}})"));
  CHECK_FALSE(read(R"({"metadata":{"name":"trainyard-a"},"data":{"job":"a","objects":"{"}})"));
}

TEST_CASE("a record lists what was applied, with its UID") {
  const auto set = read(
      R"({"metadata":{"name":"trainyard-a","namespace":"ml"},"data":{"job":"a","source":"a.yaml","digest":"d","objects":"[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"namespace\":\"ml\",\"name\":\"a\",\"uid\":\"u\"}]"}})");
  REQUIRE(set);
  CHECK(set->job == "a");
  CHECK(set->source == "a.yaml");
  REQUIRE(set->objects.size() == 1);
  CHECK(set->objects[0] == AppliedObject{"batch/v1", "Job", "ml", "a", "u"});
}

TEST_CASE("the record says which kinds its set holds, each once") {
  const std::string text = config_map_of({"a",
                                          "ml",
                                          "a.yaml",
                                          "d",
                                          {{"batch/v1", "Job", "ml", "a", "1"},
                                           {"v1", "Service", "ml", "a", "2"},
                                           {"v1", "Service", "ml", "b", "3"}}});
  CHECK(text.find("contains-group-kinds: \"Job.batch,Service\"") != std::string::npos);
}

TEST_CASE("the id of a set is that which kubectl computes") {
  // `set2.ml.ConfigMap.` is the parent: kubernetes/kubernetes
  // staging/src/k8s.io/kubectl/pkg/cmd/apply/applyset.go.
  const std::string id = applied_set_id("llama", "ml");
  CHECK(id.starts_with("applyset-"));
  CHECK(id.ends_with("-v1"));
  CHECK(id.size() == std::string("applyset-").size() + 43 + std::string("-v1").size());
  CHECK(id != applied_set_id("llama", "nlp"));
}

TEST_CASE("a label goes among the labels of the object, not of its pods") {
  const std::string pods = "spec:\n  template:\n    metadata:\n      labels:\n        a: b\n";
  CHECK(with_label("---\nkind: X\nmetadata:\n  name: x\n  labels:\n    a: b\n" + pods, "k", "v") ==
        "---\nkind: X\nmetadata:\n  name: x\n  labels:\n    k: \"v\"\n    a: b\n" + pods);
  CHECK(with_label("---\nkind: X\nmetadata:\n  name: x\n" + pods, "k", "v") ==
        "---\nkind: X\nmetadata:\n  name: x\n  labels:\n    k: \"v\"\n" + pods);
}
