#include "golden/digests.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace trainyard::golden;

TEST_CASE("what is no digest of a job stays as it is") {
  const std::string digits(63, 'a');
  for (const std::string& text : std::vector<std::string>{
           "trainyard/digest: sha256:" + digits + "\n", "trainyard/digest: sha256:" + digits + "ab",
           "trainyard/digest: sha256:" + digits + "A", "digest: sha256:" + digits + "a\n",
           "trainyard/digest: sha256:", ""}) {
    CHECK(with_masked_digests(text) == text);
  }
}

TEST_CASE("each digest of a job becomes the same word") {
  const std::string line = "    trainyard/digest: sha256:";
  CHECK(with_masked_digests(line + std::string(64, '0') + "\nspec:\n" + line +
                            std::string(64, 'f') + "\"") ==
        line + "masked\nspec:\n" + line + "masked\"");
}
