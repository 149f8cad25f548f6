#include "manifest/kubernetes_version.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("what is no version of Kubernetes is not read as one") {
  for (const char* text : {"", "1", "1.", "v", "1.x", "a.b", "1.33rc1", "latest", "-1.3"}) {
    INFO(text);
    CHECK_FALSE(kubernetes_version(text));
  }
}

TEST_CASE("a version is read as far as its API goes, from every vendor") {
  for (const char* text : {"1.33", "v1.33", "1.33.4", "v1.33.5-gke.100", "1.33+"}) {
    INFO(text);
    CHECK(kubernetes_version(text) == KubernetesVersion{1, 33});
  }
  CHECK(text(KubernetesVersion{1, 9}) == "1.9");
  CHECK(KubernetesVersion{1, 9} < KubernetesVersion{1, 30});
}
