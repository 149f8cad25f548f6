#include "golden/runner.h"

#include <catch2/catch_test_macros.hpp>

#include "folders.h"
#include "golden/files.h"

using namespace trainyard::golden;

namespace {

/// A repository with one case, run with the fake program.
struct Bench {
  TemporaryDirectory repository;

  std::filesystem::path directory(const std::string& name) const {
    return repository.path() / "golden" / name;
  }
  std::string run(const std::string& name, const Files& files, bool update = false) const {
    std::filesystem::remove_all(directory(name));
    write_tree(directory(name), files);
    return again(name, update).wrong;
  }
  Result again(const std::string& name, bool update) const {
    const std::filesystem::path program =
        trainyard::testing::build_folder() / "tests/golden/golden_fake_program";
    return run_case(program, directory(name), repository.path(), update);
  }
  std::string fails(const std::string& name, const Files& files) const {
    const std::string wrong = run(name, files);
    CHECK_FALSE(wrong.empty());
    return wrong;
  }
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a case passes when output, exit code and files are as expected") {
  const Bench bench;
  CHECK(bench.run("a", {{"args", "show spec.yaml\n"}, {"spec.yaml", "x\n"}, {"stdout", "x\n"}}) ==
        "");
  CHECK(bench.run("fail/a", {{"args", "complain no exit 3"}, {"stderr", "no\n"}, {"exit", "3\n"}})
            .empty());
  CHECK(bench
            .run("b", {{"args", "show out/old remove out/old write out/new y"},
                       {"before/out/old", "x\n"},
                       {"stdout", "x\n"},
                       {"out/new", "y"}})
            .empty());
  CHECK(
      bench.run("c", {{"args", "write spec.yaml y"}, {"spec.yaml", "x"}, {"after/spec.yaml", "y"}})
          .empty());
  CHECK(bench.run("d", {{"args", "echo < in"}, {"in", "x\n"}, {"stdout", "x\n"}}).empty());
}

TEST_CASE("several commands share a directory, and only the last may fail") {
  const Bench bench;
  CHECK(bench
            .run("fail/a", {{"args", "write out/x 1 print a\nshow out/x exit 3\n"},
                            {"before/out/keep", ""},
                            {"stdout",
                             "$ trainyard write out/x 1 print a\na\n"
                             "$ trainyard show out/x exit 3\n1"},
                            {"exit", "3\n"},
                            {"out/x", "1"},
                            {"out/keep", ""}})
            .empty());
  CHECK(has(bench.fails("fail/b", {{"args", "exit 1\nprint a\n"}, {"exit", "1\n"}}),
            "a command before `print a` failed"));
}

TEST_CASE("every kind of difference fails") {
  const Bench bench;
  const Files good = {
      {"args", "print x write out.txt y"}, {"stdout", "x\n"}, {"after/out.txt", "y"}};
  REQUIRE(bench.run("a", good).empty());
  const auto with = [&](const std::string& name, const std::string& text) {
    Files files = good;
    files[name] = text;
    return bench.fails("a", files);
  };
  CHECK(has(with("stdout", "z\n"), "stdout:\n  line 1:\n  -z\n  +x\n"));
  CHECK(has(with("stdout", "x"), "-x (no line break)"));
  CHECK(has(with("stderr", "e\n"), "stderr:\n"));
  CHECK(has(with("stderr", ""), "`stderr` is empty: remove it"));
  CHECK(has(with("exit", "0\n"), "write a number other than 0, or no file"));
  CHECK(has(with("exit", "x\n"), "write a number other than 0, or no file"));
  CHECK(has(with("out/a", "1"), "out/a: expected, but not there"));
  CHECK(has(with("after/b", "1"), "after/b: expected, but not there"));
  CHECK(has(with("after/out.txt", "z"), "after/out.txt: differs"));
  Files unexpected = good;
  unexpected.erase("after/out.txt");
  CHECK(has(bench.fails("a", unexpected), "after/out.txt: there, but not expected"));
}

TEST_CASE("a case without args, commands or expectation fails") {
  const Bench bench;
  CHECK(has(bench.fails("a", {{"spec.yaml", "x"}}), "no command"));
  CHECK(has(bench.fails("a", {{"args", "# only\n"}, {"stdout", "x\n"}}), "no command"));
  CHECK(has(bench.fails("a", {{"args", "'open\n"}, {"stdout", "x\n"}}), "no command"));
  CHECK(has(bench.fails("a", {{"args", "exit 0\n"}}), "nothing is expected"));
  CHECK(has(bench.fails("a", {{"args", "print x"}}), "stdout:"));
}

TEST_CASE("a case lies in fail/ if and only if the run fails") {
  const Bench bench;
  CHECK(has(bench.fails("a", {{"args", "exit 1"}, {"exit", "1\n"}}), "does not lie in fail/"));
  CHECK(has(bench.fails("fail/a", {{"args", "print x"}, {"stdout", "x\n"}}),
            "lies in fail/, but exit 0"));
}

TEST_CASE("output that depends on the environment fails, also when it is being updated") {
  const Bench bench;
  for (const char* args : {"directory", "variable LC_ALL", "variable TZ", "variable HOME"}) {
    INFO(args);
    CHECK(has(bench.run("a", {{"args", args}}, true), "gives something else"));
    CHECK_FALSE(std::filesystem::exists(bench.directory("a") / "stdout"));
  }
  CHECK(bench.run("a", {{"args", "variable SHELL print x"}, {"stdout", "\nx\n"}}).empty());
}

TEST_CASE("a crash and a removed input fail") {
  const Bench bench;
  CHECK(has(bench.fails("fail/a", {{"args", "abort"}, {"exit", "134\n"}}), "ended by signal 6"));
  CHECK(has(bench.fails("a", {{"args", "print x remove in"}, {"in", "1"}, {"stdout", "x\n"}}),
            "removed its input `in`"));
}

TEST_CASE("shared inputs are copied by their last name") {
  const Bench bench;
  write_file(bench.repository.path() / "examples/one.yaml", "1");
  write_file(bench.repository.path() / "examples/dir/two.yaml", "2");
  CHECK(bench
            .run("a", {{"args", "show one.yaml show dir/two.yaml"},
                       {"inputs", "examples/one.yaml\nexamples/dir\n"},
                       {"stdout", "12"}})
            .empty());
  CHECK(has(bench.fails("a", {{"args", "print x"}, {"stdout", "x\n"}, {"inputs", "nowhere"}}),
            "names `nowhere`, which is not there"));
}

TEST_CASE("an update writes what was seen and removes what is stale") {
  const Bench bench;
  const std::string args = "print x write out/a 1 write new y";
  CHECK(bench.run("a",
                  {{"args", args},
                   {"before/out/z", "0"},
                   {"stderr", "old\n"},
                   {"exit", "4\n"},
                   {"out/stale", ""},
                   {"after/stale", ""}},
                  true) == "");
  CHECK(read_tree(bench.directory("a")) == Files{{"args", args},
                                                 {"before/out/z", "0"},
                                                 {"stdout", "x\n"},
                                                 {"out/a", "1"},
                                                 {"out/z", "0"},
                                                 {"after/new", "y"}});
  CHECK(bench.run("fail/a", {{"args", "exit 2"}}, true).empty());
  CHECK(read_file(bench.directory("fail/a") / "exit") == "2\n");
}

TEST_CASE(
    "an update says which case it changed, and leaves files that stay as they are untouched") {
  const Bench bench;
  const auto written = [&](const char* name) {
    return std::filesystem::last_write_time(bench.directory("a") / name);
  };
  CHECK(bench.run("a", {{"args", "print x write new 1"}, {"stdout", "x\n"}, {"after/new", "0"}},
                  false) != "");
  std::filesystem::last_write_time(bench.directory("a") / "stdout", {});
  const Result changed = bench.again("a", true);
  CHECK(changed.wrong == "");
  CHECK(changed.name == "a");
  CHECK(changed.rewritten);
  CHECK(written("stdout") == std::filesystem::file_time_type());
  CHECK(written("after/new") != std::filesystem::file_time_type());
  CHECK_FALSE(bench.again("a", true).rewritten);
}
