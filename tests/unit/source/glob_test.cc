#include "source/glob.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

TEST_CASE("a pattern without wildcards fits that path alone", "[driver]") {
  CHECK_FALSE(fits_glob("a", "ab"));
  CHECK_FALSE(fits_glob("a", ""));
  CHECK(fits_glob("", ""));
  CHECK(fits_glob("a/b", "a/b"));
}

TEST_CASE("one star and a question mark stay within a directory", "[driver]") {
  CHECK_FALSE(fits_glob("*.py", "lib/train.py"));
  CHECK_FALSE(fits_glob("a/*.yaml", "a/b/c.yaml"));
  CHECK_FALSE(fits_glob("v?.txt", "v/.txt"));
  CHECK(fits_glob("*.py", "train.py"));
  CHECK(fits_glob("a/*.yaml", "a/b.yaml"));
  CHECK(fits_glob("v?.txt", "v1.txt"));
}

TEST_CASE("two stars stand for any number of directories, or for none", "[driver]") {
  CHECK_FALSE(fits_glob("**/c.yaml", "abc.yaml"));
  CHECK(fits_glob("**/c.yaml", "a/b/c.yaml"));
  CHECK(fits_glob("**/c.yaml", "c.yaml"));
  CHECK(fits_glob("**/*.py", "lib/deep/train.py"));
  CHECK(fits_glob("**/*.py", "train.py"));
  CHECK(fits_glob("a/**/c.yaml", "a/c.yaml"));
  CHECK(fits_glob("a/**", "a/b/c.yaml"));
}

TEST_CASE("many stars cost the product of both lengths at most", "[driver]") {
  CHECK(fits_glob(std::string(60, '*') + "x", std::string(20'000, 'a') + "x"));
}
