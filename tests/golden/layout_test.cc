#include "golden/layout.h"

#include <catch2/catch_test_macros.hpp>

#include "golden/files.h"

using namespace trainyard::golden;

namespace {

std::string faults(const Files& files) {
  const TemporaryDirectory golden;
  write_tree(golden.path(), files);
  return check_layout(golden.path());
}

}  // namespace

TEST_CASE("what belongs to no case is found") {
  CHECK(faults({{"f/a/args", "x"}, {"f/b/args", "x"}, {"f/b/in/c", ""}, {"f/stray.yaml", ""}}) ==
        "f/stray.yaml belongs to no case\n");
  CHECK(faults({{"stray.yaml", ""}}) == "stray.yaml belongs to no case\n");
  CHECK(faults({{"f/a/args", "x"}, {"f/b/args", "x"}, {"f/c/stdout", "x"}}) ==
        "f/c/ has no file `args`\nf/c/stdout belongs to no case\n");
}

TEST_CASE("a case lies in a folder with others, two or three levels deep") {
  CHECK(faults({{"a/args", "x"}}) == "a/ lies in no folder\n");
  CHECK(faults({{"f/a/args", "x"}}) == "f/ holds one case or folder: move it up\n");
  CHECK(faults({{"f/a/args", "x"}, {"f/g/a/args", "x"}}) ==
        "f/g/ holds one case or folder: move it up\n");
  CHECK(
      faults({{"f/a/args", ""}, {"f/g/a/args", ""}, {"f/g/h/a/args", ""}, {"f/g/h/b/args", ""}}) ==
      "f/g/h/a/ lies more than three levels deep\nf/g/h/b/ lies more than three levels deep\n");
  CHECK(faults({{"f/a/args", ""}, {"f/g/a/args", ""}, {"f/g/b/args", ""}, {"README.md", ""}}) ==
        "");
}
