// What a plan asks of Git, and what it says where Git has no answer.
#include "driver/plan/git_tree.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace trainyard;

namespace {

struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};
  std::vector<std::string> calls;

  World() { files.files["rendered/nlp/a.yaml"] = "a: 1\n"; }

  /// A Git that answers by the command behind `-C FOLDER`.
  RunGit git(std::string failing, std::string err = "") {
    return [this, failing, err](const std::vector<std::string>& words, const std::string& input) {
      std::string call;
      for (const std::string& each : words) call += each + " ";
      calls.push_back(call + input);
      if (!failing.empty() && call.find(failing) != std::string::npos) return GitRun{128, "", err};
      if (words[2] == "ls-tree") {
        std::string listing;
        for (const char* entry :
             {"100644 blob aa\tnlp/a.yaml", "100644 blob bb\tnlp/.b.yaml", "120000 blob cc\tc.yaml",
              "100644 blob dd\td.txt", "160000 commit ee\te.yaml", "100755 blob ff\tf.json"}) {
          listing += entry;
          listing += '\0';
        }
        return GitRun{0, listing, ""};
      }
      if (words[2] == "cat-file") return GitRun{0, "aa blob 5\nx: 1\n\nff blob 2\n{}\n", ""};
      return GitRun{0, "0123\n", ""};
    };
  }
  std::string message() {
    REQUIRE(session.sink.all().size() == 1);
    return session.sink.all()[0].message;
  }
};

}  // namespace

TEST_CASE("a path in no repository is reported, with what Git says") {
  World world;
  const auto git = world.git("--git-dir", "fatal: not a git repository\nmore");
  CHECK(!git_commits(world.session, git, "rendered", git_range("main")));
  CHECK(world.message() == "`rendered` is in no Git repository");
  CHECK(world.session.sink.all()[0].notes[0] == "git says: fatal: not a git repository");
}

TEST_CASE("a revision that does not exist is reported, on either side of a range") {
  for (const char* word : {"nope", "nope..HEAD", "HEAD..nope", "nope...HEAD"}) {
    World world;
    CHECK(!git_commits(world.session, world.git("nope^{commit}"), "rendered", git_range(word)));
    CHECK(world.message() == "the repository of `rendered` has no commit `nope`");
  }
}

TEST_CASE("a machine without Git is reported") {
  World world;
  const RunGit none = [](const auto&, const auto&) { return GitRun{-1, "", "not found"}; };
  CHECK(!git_commits(world.session, none, "rendered", git_range("main")));
  CHECK(world.message() == "`git` cannot be started: not found");
}

TEST_CASE("a revision is never read as an option of Git") {
  World world;
  git_commits(world.session, world.git(""), "rendered", git_range("--output=x"));
  CHECK(world.calls[1] ==
        "-C rendered rev-parse --verify --quiet --end-of-options --output=x^{commit} ");
}

TEST_CASE("a range of two or three dots is read as Git reads it") {
  CHECK(git_range("main").after.empty());
  CHECK(git_range("a..b").before == "a");
  CHECK(git_range("a..b").after == "b");
  CHECK(git_range("a..").after == "HEAD");
  CHECK(git_range("..b").before == "HEAD");
  CHECK(git_range("a...b").from_merge_base);
  CHECK(git_range("a...b").after == "b");
  CHECK(!git_range("a..b").from_merge_base);
}

TEST_CASE("files of a commit are read: no links, submodules, hidden files or other files") {
  World world;
  const auto files = git_inputs(world.session, world.git(""), "rendered", "0123", "main");
  REQUIRE(files.size() == 2);
  CHECK(files[0].path == "main:rendered/nlp/a.yaml");
  CHECK(world.session.sources.text(files[0].file) == "x: 1\n");
  CHECK(files[1].path == "main:rendered/f.json");
  CHECK(world.calls.back() == "-C rendered cat-file --batch aa\nff\n");
}

TEST_CASE("a single file is asked for in its folder") {
  World world;
  git_inputs(world.session, world.git(""), "rendered/nlp/a.yaml", "0123", "main");
  CHECK(world.calls[0] == "-C rendered/nlp ls-tree -r -z 0123 -- a.yaml ");
}

TEST_CASE("an answer of Git that breaks off is an error") {
  World world;
  const RunGit short_git = [](const std::vector<std::string>& words, const std::string&) {
    if (words[2] == "ls-tree") return GitRun{0, std::string("100644 blob aa\ta.yaml") + '\0', ""};
    return GitRun{0, "aa blob 500\nx", ""};
  };
  CHECK(git_inputs(world.session, short_git, "rendered", "0123", "main").empty());
  CHECK(world.session.sink.has_errors());
}
