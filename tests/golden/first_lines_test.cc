#include "golden/first_lines.h"

#include <catch2/catch_test_macros.hpp>

#include "golden/files.h"

using namespace trainyard::golden;

namespace {

/// Of the cases of `files`, below golden/; `files` may also hold other parts of the repository.
std::string faults(const Files& files) {
  const TemporaryDirectory repository;
  write_tree(repository.path(), files);
  return check_first_lines(repository.path() / "golden");
}

std::string fault(const std::string& args) {
  return faults({{"golden/f/a/args", args}, {"golden/f/a/stdout", "kind: Job\n"}});
}

const std::string kWanted =
    "f/a/args: the first line has to say what to look at: `# A sentence.`\n";

}  // namespace

TEST_CASE("a case without a line that says what to look at fails") {
  CHECK(fault("") == kWanted);
  CHECK(fault("build spec.yaml\n") == kWanted);
  CHECK(fault("#\nbuild spec.yaml\n") == kWanted);
  CHECK(fault("# .\nbuild spec.yaml\n") == kWanted);
  CHECK(fault("# no sentence\nbuild spec.yaml\n") == kWanted);
  CHECK(fault("build spec.yaml\n# Too late.\n") == kWanted);
  CHECK(fault("# The kind.\nbuild spec.yaml\n") == "");
}

TEST_CASE("a first line fits one line of a screen") {
  CHECK(fault("# " + std::string(117, 'x') + ".\nbuild\n") == "");
  CHECK(fault("# " + std::string(118, 'x') + ".\nbuild\n") ==
        "f/a/args: the first line has 121 characters, at most 120 are allowed\n");
}

TEST_CASE("what a first line names stands in the case, and not in its comments alone") {
  CHECK(fault("# Look at `Jbo` and `b c`.\nbuild\n") ==
        "f/a/args: the first line names `Jbo`, which stands nowhere in it\n"
        "f/a/args: the first line names `b c`, which stands nowhere in it\n");
  CHECK(fault("# Look at `kind: Job` of `build`.\nbuild spec.yaml\n") == "");
  CHECK(faults({{"golden/f/a/args", "# The `team` of `job.yaml`.\nbuild job.yaml\n"},
                {"golden/f/a/inputs", "examples/job.yaml\n"},
                {"examples/job.yaml", "team: a\n"}}) == "");
}

TEST_CASE("no two cases have one first line") {
  CHECK(faults(
            {{"golden/f/a/args", "# One.\nbuild a\n"}, {"golden/f/b/args", "# One.\nbuild b\n"}}) ==
        "f/b/args: the first line is that of f/a\n");
}
