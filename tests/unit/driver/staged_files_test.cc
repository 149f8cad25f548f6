#include "driver/build/staged_files.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("one star and a question mark stay within a directory, two stars do not") {
  CHECK(path_matches("*.py", "train.py"));
  CHECK_FALSE(path_matches("*.py", "lib/train.py"));
  CHECK(path_matches("**/*.py", "lib/deep/train.py"));
  CHECK(path_matches("**/*.py", "train.py"));
  CHECK(path_matches("configs/**", "configs/a/b.yaml"));
  CHECK(path_matches("v?.txt", "v1.txt"));
  CHECK_FALSE(path_matches("v?.txt", "v/.txt"));
  CHECK_FALSE(path_matches("a", "ab"));
  CHECK(path_matches("", ""));
}
