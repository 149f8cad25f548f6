// Builds of Kubernetes that a cloud counts within a minor release.
#include "rules/kubernetes_build.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace trainyard;

namespace {

std::string needed(std::string_view version, const std::vector<std::string_view>& builds) {
  TextList list;
  for (std::string_view each : builds) {
    Text text;
    text.value = each;
    list.value.push_back(text);
  }
  return std::string(build_needed(version, list));
}

const std::vector<std::string_view> kBuilds = {"1.28.9-gke.1250000", "1.29.4-gke.1542000",
                                               "1.30.4-gke.1129000"};

}  // namespace

TEST_CASE("a build that is too old names the oldest that would do") {
  CHECK(needed("1.28.9-gke.1249999", kBuilds) == "1.28.9-gke.1250000");
  CHECK(needed("1.28.8-gke.9999999", kBuilds) == "1.28.9-gke.1250000");
  CHECK(needed("v1.29.3", kBuilds) == "1.29.4-gke.1542000");
  CHECK(needed("1.30.0", kBuilds) == "1.30.4-gke.1129000");
  CHECK(needed("1.27", kBuilds) == "1.28.9-gke.1250000");
  CHECK(needed("1.33", {"1.34.1-gke.1829001"}) == "1.34.1-gke.1829001");
  CHECK(needed("1.35.0-gke.2744999", {"1.34.3-gke.1318000", "1.35.0-gke.2745000"}) ==
        "1.35.0-gke.2745000");
}

TEST_CASE("a build that is new enough is unchanged") {
  CHECK(needed("1.28.9-gke.1250000", kBuilds).empty());
  CHECK(needed("1.28.10", kBuilds).empty());
  CHECK(needed("1.29.15-gke.1", kBuilds).empty());
  CHECK(needed("1.31", kBuilds).empty());
  CHECK(needed("1.36.0", {"1.34.3-gke.1318000", "1.35.0-gke.2745000"}).empty());
}

TEST_CASE("a version that does not say its build may be any") {
  CHECK(needed("1.28", kBuilds).empty());
  CHECK(needed("1.28.9", kBuilds).empty());
  CHECK(needed("1.28.9-eks-1", kBuilds).empty());
  CHECK(needed("1.28.9-eks.1", kBuilds).empty());
  CHECK(needed("", kBuilds).empty());
  CHECK(needed("newest", kBuilds).empty());
  CHECK(needed("1.27", {}).empty());
}
