#include "operators/releases.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("the release of an operator that was read is known", "[check]") {
  CHECK(release_read(OperatorSpan{"volcano", {}, {}}) == "1.15.1");
  CHECK(release_read(OperatorSpan{"flux", {}, {}}) == "kustomize-controller 1.9.4");
  CHECK(release_read(OperatorSpan{"kuberay", "1.7", {}}).empty());
  CHECK(release_read(OperatorSpan{"runai", {}, {}}).empty());
}
