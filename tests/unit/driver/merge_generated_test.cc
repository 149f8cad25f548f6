#include "driver/fleet/merge_generated.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "emit/ownership.h"

using namespace trainyard;

namespace {

std::string generated(const std::string& image) {
  std::string text = owned_beginning("../specs/a.yaml", "ml") + "---\nimage: " + image + "\n";
  seal(text);
  return text;
}

struct Bench {
  MemoryFileSystem disk;
  GitRun answer;  // of `git merge-file`
  std::string asked;
  std::string messages;

  MergeResult merge(const std::string& ours, const std::string& theirs) {
    disk.files = {{".base", ""}, {".ours", ours}, {".theirs", theirs}};
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    const RunGit git = [this](const std::vector<std::string>& words, const std::string&) {
      asked = words.front();
      return answer;
    };
    const MergeResult result =
        merge_generated(session, {".base", ".ours", ".theirs", "rendered/a.yaml"}, git);
    messages.clear();
    for (const Diagnostic& each : session.sink.sorted()) messages += each.message + "\n";
    return result;
  }
  const std::string& result() { return disk.files[".ours"]; }
};

}  // namespace

TEST_CASE("two generated texts are not merged: ours stays, marked") {
  Bench bench;
  CHECK(bench.merge(generated("a"), generated("b")) == MergeResult::Unmerged);
  CHECK(bench.asked.empty());
  CHECK_FALSE(unmerged_mark(bench.result()).empty());
  CHECK(bench.result().find("image: a\n") != std::string::npos);
  CHECK(owner_of(bench.result()).intact);
}

TEST_CASE("a text that a user wrote or edited on one side is merged by Git") {
  const std::string edited = generated("a") + "# by hand\n";
  for (const auto& [ours, theirs] :
       {std::pair(edited, generated("b")), std::pair(generated("b"), edited),
        std::pair(std::string("# Notes\n"), generated("b"))}) {
    INFO(ours);
    Bench bench;
    bench.answer = {0, "merged\n", ""};
    CHECK(bench.merge(ours, theirs) == MergeResult::Merged);
    CHECK(bench.asked == "merge-file");
    CHECK(bench.result() == "merged\n");
    bench.answer = {2, "<<<<<<< ours\n", ""};
    CHECK(bench.merge(ours, theirs) == MergeResult::Conflicts);
    CHECK(bench.result() == "<<<<<<< ours\n");
  }
}

TEST_CASE("where Git cannot merge a text, or a file is missing, ours stays as it is") {
  Bench bench;
  for (const int code : {-1, 255}) {
    bench.answer = {code, "", "cannot merge binary files"};
    CHECK(bench.merge("a", "b") == MergeResult::Failed);
    CHECK(bench.messages.find("`rendered/a.yaml`: cannot merge binary") != std::string::npos);
    CHECK(bench.result() == "a");
  }
  Env env{bench.disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  CHECK(merge_generated(session, {".base", ".ours", ".nowhere", "x"}, {}) == MergeResult::Failed);
  CHECK(session.sink.has_errors());
}
