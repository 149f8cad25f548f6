// `plan` as a person calls it, with a real repository of Git.

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/cli.h"
#include "cli/run_git.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

constexpr ExitCode kSyncFails{5};

/// A repository in a folder of its own, which goes with it.
class Repository {
 public:
  Repository() {
    std::string name = (std::filesystem::temp_directory_path() / "trainyard-plan-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    git({"init", "-q", "-b", "main", "."});
  }
  ~Repository() { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void commit() const {
    git({"add", "-A", "."});
    git({"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"});
  }
  void git(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-C", folder_.string()});
    const GitRun run = run_git(words, "");
    INFO(run.err);
    REQUIRE(run.code == 0);
  }

 private:
  std::filesystem::path folder_;
};

Called call(std::vector<std::string> arguments) {
  RealFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Called called;
  Io io{env, called.out, called.err};
  called.code = run_cli(arguments, io);
  return called;
}

std::string config_map(const std::string& name, const std::string& value) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
         ", namespace: ml}\ndata: {a: " + value + "}\n";
}

bool has_git() {
  return run_git({"--version"}, "").code == 0;
}

}  // namespace

TEST_CASE("a plan without an earlier state is a wrong call") {
  CHECK(call({"plan", "tree", "--tool", "flux", "--old"}).code == ExitCode::CallWrong);
  Caller program;
  program.files.files["a.yaml"] = config_map("a", "x");
  const Called both = program({"plan", "a.yaml", "--old", "a.yaml", "--git", "main"});
  CHECK(both.code == ExitCode::CallWrong);
}

TEST_CASE("standard input is the tree or the dump, not both") {
  Caller program;
  program.input = config_map("a", "x");
  CHECK(program({"plan", "-", "--live", "-"}).code == ExitCode::InputWrong);
  CHECK(program({"drift", "-", "--live", "-"}).code == ExitCode::InputWrong);
  program.files.files["a.yaml"] = config_map("a", "x");
  CHECK(program({"plan", "a.yaml", "--live", "-"}).code == ExitCode::Good);
}

TEST_CASE("a plan compares the work tree, or two commits, with what was there") {
  if (!has_git()) SKIP("git is not installed");
  const Repository repository;
  repository.write("rendered/nlp/a.yaml", config_map("a", "x"));
  repository.write("rendered/nlp/gone.yaml", config_map("gone", "x"));
  repository.write("rendered/nlp/text.txt", "no manifest");
  repository.commit();
  std::filesystem::remove(repository.path("rendered/nlp/gone.yaml"));
  repository.write("rendered/nlp/a.yaml", config_map("a", "z"));
  repository.commit();
  repository.write("rendered/nlp/new.yaml", config_map("new", "x"));

  const std::string tree = repository.path("rendered");
  const Called files = call({"plan", tree, "--git", "HEAD~1"});
  CHECK(files.code == ExitCode::Good);
  CHECK(files.err.empty());
  CHECK(contains(files.out, "1 to add, 1 to change, 1 to delete."));
  CHECK(contains(files.out, "\n" + tree + "/nlp\n") == false);
  CHECK(contains(files.out, tree + "/nlp\n"));

  const Called commits = call({"plan", tree, "--git", "HEAD~1..HEAD"});
  CHECK(contains(commits.out, "1 to change, 1 to delete."));
  CHECK(contains(call({"plan", tree, "--git", "HEAD"}).out, "1 to add, 1 unchanged."));

  const std::string file = repository.path("rendered/nlp/a.yaml");
  CHECK(contains(call({"plan", file, "--git", "HEAD~1"}).out, "1 to change."));
}

TEST_CASE("a revision or a repository that is not there is reported, and there is no plan") {
  if (!has_git()) SKIP("git is not installed");
  const Repository repository;
  repository.write("a.yaml", config_map("a", "x"));
  repository.commit();
  for (const char* word : {"nope", "nope..HEAD", "HEAD..nope", "-x"}) {
    const Called called = call({"plan", repository.path("a.yaml"), std::string("--git=") + word});
    INFO(called.err);
    CHECK(called.code == ExitCode::InputWrong);
    CHECK(contains(called.err, "has no commit"));
    CHECK(called.out.empty());
  }
  CHECK(contains(call({"plan", repository.path("none"), "--git", "HEAD"}).err,
                 "is no file or directory of a repository"));
}

TEST_CASE("a plan that fails ends with 5") {
  Caller program;
  const std::string claim =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a, namespace: ml}\nspec: "
      "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
  program.files.files["old.yaml"] = claim;
  program.files.files["new.yaml"] = config_map("a", "x");
  for (const char* format : {"text", "markdown", "json", "github", "gitlab"}) {
    CHECK(program({"plan", "new.yaml", "--old", "old.yaml", "--output", format}).code ==
          kSyncFails);
  }
}
