#include "driver/format/document_order.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("fields of our documents are ranked as their schema has them") {
  const auto rank = document_order("TrainingJob");
  REQUIRE(rank);
  CHECK(rank("", "apiVersion") < rank("", "kind"));
  CHECK(rank("", "kind") < rank("", "metadata"));
  CHECK(rank("", "metadata") < rank("", "spec"));
  CHECK(rank("spec", "image") < rank("spec", "run"));
  CHECK(rank("spec", "run") < rank("spec", "nodes"));
  CHECK(rank("spec", "nodes") < rank("spec", "target"));
  // Through a shared shape, the items of a list, and a map whose keys the user chooses.
  CHECK(rank("spec.run", "script") < rank("spec.run", "args"));
  CHECK(rank("spec.storage.data", "claim") < rank("spec.storage.data", "mountPath"));
  const auto cluster = document_order("Cluster");
  REQUIRE(cluster);
  CHECK(cluster("spec.pools[]", "name") < cluster("spec.pools[]", "count"));
}

TEST_CASE("what the schema does not order stays as it is") {
  const auto rank = document_order("TrainingJob");
  CHECK(rank("spec.env", "B") == rank("spec.env", "A"));
  CHECK(rank("spec.pod.spec", "volumes") == rank("spec.pod.spec", "containers"));
  CHECK(rank("spec.nowhere[].at", "a") == rank("spec.nowhere[].at", "b"));
  CHECK(rank("spec", "unknown") > rank("spec", "image"));
}

TEST_CASE("other kinds have no order") {
  CHECK(!document_order("Pod"));
  CHECK(!document_order(""));
  CHECK(!document_order("../v1alpha1/TrainingJob"));
}
