// How a call is taken apart: commands, options, their faults and the help.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

TEST_CASE("without a command the overview comes on standard output") {
  Caller call;
  const Called called = call({});
  CHECK(called.code == ExitCode::Good);
  CHECK(called.err.empty());
  for (const auto& command : all_commands()) {
    INFO(command->name());
    CHECK(contains(called.out, "\n  " + std::string(command->name()) + " "));
  }
  for (const char* code : {"\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  4 ", "\n  70 "}) {
    CHECK(contains(called.out, code));
  }
  CHECK(call({"help"}).out == called.out);
  CHECK(call({"--help"}).out == called.out);
  CHECK(call({"-h"}).out == called.out);
}

TEST_CASE("the version is printed") {
  Caller call;
  const Called called = call({"--version"});
  CHECK(called.code == ExitCode::Good);
  CHECK(called.out == "trainyard " + std::string(version()) + "\n");

  call.commit = "0123456789ab, modified";
  CHECK(call({"--version"}).out ==
        "trainyard " + std::string(version()) + " (commit 0123456789ab, modified)\n");
}

TEST_CASE("an unknown command is guessed") {
  Caller call;
  const Called called = call({"biuld", "x.yaml"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(called.out.empty());
  CHECK(contains(called.err, "there is no command `biuld`: did you mean `build`?"));
  CHECK(call({"frobnicate"}).code == ExitCode::CallWrong);
  CHECK(!contains(call({"frobnicate"}).err, "did you mean"));
  CHECK(call({""}).code == ExitCode::CallWrong);
}

TEST_CASE("a wrong call prints nothing that a terminal obeys") {
  Caller call;
  const std::string evil = "x\x1b[2J\xe2\x80\xae\r";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{evil},
                                             {"help", evil},
                                             {"--" + evil},
                                             {"explain", evil},
                                             {"explain", "rule", evil},
                                             {"explain", "--kind", evil, "spec"},
                                             {"build", "x.yaml", "--" + evil},
                                             {"build", evil + ".yaml"},
                                             {"build", "x.yaml", "-j", evil},
                                             {"list", evil},
                                             {"why", "x.yaml", "--line", evil},
                                             {"validate", "x.yaml", "--kubernetes-version", evil},
                                             {"schema", evil},
                                             {"schema", "export", evil}}) {
    const Called called = call(words);
    INFO(words[0] << " " << words.size());
    CHECK(called.code != ExitCode::Good);
    CHECK(called.err.find('\x1b') == std::string::npos);
    CHECK(called.err.find('\r') == std::string::npos);
    CHECK(called.err.find("\xe2\x80\xae") == std::string::npos);
  }
}

TEST_CASE("an unknown option is guessed, in front of a command and behind it") {
  Caller call;
  Called called = call({"build", "--chek", "x.yaml"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "`build` has no option `--chek`: did you mean `--check`?"));
  called = call({"build", "--ouput-dir=x", "y"});
  CHECK(contains(called.err, "`--ouput-dir`: did you mean `--output-dir`?"));
  called = call({"--versoin"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "did you mean `--version`?"));
  called = call({"build", "-x", "y"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "`build` has no option `-x`"));
}

TEST_CASE("an option without its value is a wrong call") {
  Caller call;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"build", "x.yaml", "--cluster"},
                                             {"build", "x.yaml", "-c"},
                                             {"build", "x.yaml", "--cluster", "--check"}}) {
    const Called called = call(words);
    CHECK(called.code == ExitCode::CallWrong);
    CHECK(contains(called.err, "needs a value"));
    CHECK(contains(called.err, "FILE"));
  }
}

TEST_CASE("a flag takes no value") {
  Caller call;
  const Called called = call({"build", "x.yaml", "--check=banana"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "`--check` takes no value"));
}

TEST_CASE("an option that is given twice is a wrong call unless it may be") {
  Caller call;
  call.files.files["job.yaml"] = kSpec;
  call.files.files["a/x.yaml"] = "a: 1\n";
  call.files.files["b/x.yaml"] = "a: 1\n";
  const Called called = call({"build", "job.yaml", "-t", "job", "--target", "job"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "`--target` is given more than once"));
  CHECK(call({"build", "job.yaml", "--templates", "a", "--templates", "b"}).code == ExitCode::Good);
}

TEST_CASE("a value that is none of the words is guessed") {
  Caller call;
  const Called called = call({"build", "x.yaml", "--output", "jsn"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(
      called.err,
      "`--output` is `text`, `json`, `sarif`, `junit`, `github` or `gitlab`, not `jsn`: did you "
      "mean `json`?"));
  CHECK(contains(call({"list", "target"}).err, "did you mean `targets`?"));
  CHECK(call({"build", "x.yaml", "--color", "sometimes"}).code == ExitCode::CallWrong);
}

TEST_CASE("a missing operand is named") {
  Caller call;
  for (const char* command : {"build", "validate", "fmt"}) {
    const Called called = call({command});
    CHECK(called.code == ExitCode::CallWrong);
    CHECK(contains(called.err, "needs `INPUT`"));
  }
  CHECK(call({"list"}).code == ExitCode::CallWrong);
  CHECK(call({"completion"}).code == ExitCode::CallWrong);
  CHECK(call({"schema", "import"}).code == ExitCode::CallWrong);
}

TEST_CASE("an operand too many is named") {
  Caller call;
  const Called called = call({"list", "checks", "gang", "targets"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "nothing is expected at `targets`"));
}

TEST_CASE("a command of two words asks for the second") {
  Caller call;
  const Called called = call({"schema"});
  CHECK(called.code == ExitCode::CallWrong);
  CHECK(contains(called.err, "`schema import` or `schema export`"));
  CHECK(call({"schema", "improt"}).code == ExitCode::CallWrong);
}

TEST_CASE("every command has a help with its arguments") {
  Caller call;
  for (const auto& command : all_commands()) {
    std::vector<std::string> words;
    std::string name(command->name());
    if (const auto space = name.find(' '); space != name.npos) {
      words = {name.substr(0, space), name.substr(space + 1)};
    } else {
      words = {name};
    }
    words.push_back("--help");
    const Called called = call(words);
    INFO(name);
    CHECK(called.code == ExitCode::Good);
    CHECK(contains(called.out, "usage: trainyard " + name));
    for (const CallArgument& row : command->all_arguments()) {
      CHECK(contains(called.out, row.operand ? row.name : "--" + row.name));
    }
    std::size_t begin = 0;
    for (std::size_t at = called.out.find('\n'); at != std::string::npos;
         at = called.out.find('\n', begin)) {
      CHECK(at - begin <= 110);
      begin = at + 1;
    }
    if (name != "help") {
      words.pop_back();
      words.insert(words.begin(), "help");
      CHECK(call(words).out == called.out);
    }
  }
  CHECK(call({"help", "bild"}).code == ExitCode::CallWrong);
  CHECK(contains(call({"help", "bild"}).err, "did you mean `build`?"));
  CHECK(contains(call({"help", "schema"}).out, "schema export"));
}

TEST_CASE("help comes whatever else is wrong with the call") {
  Caller call;
  const Called called = call({"build", "--chek", "-h"});
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.out, "usage: trainyard build"));
}

TEST_CASE("names and letters of a command's arguments are distinct, and each goes somewhere") {
  for (const auto& command : all_commands()) {
    INFO(command->name());
    std::vector<std::string> seen;
    for (const CallArgument& row : command->all_arguments()) {
      CHECK(!row.help.empty());
      CHECK(!row.help.ends_with('.'));
      CHECK(row.into.index() != 0);
      CHECK(row.is_flag() == std::holds_alternative<bool*>(row.into));
      std::vector<std::string> names{row.name};
      if (row.letter != 0) names.push_back(std::string(1, row.letter));
      for (const std::string& name : names) {
        CHECK(std::find(seen.begin(), seen.end(), name) == seen.end());
        seen.push_back(name);
      }
    }
  }
}

TEST_CASE("behind two dashes everything is an operand") {
  Caller call;
  call.files.files["--check"] = kSpec;
  const Called called = call({"build", "--", "--check"});
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.out, "kind: Job"));
  CHECK(contains(call({"build", "--", "--help"}).err, "--help"));
}

TEST_CASE("colour is what is asked for") {
  Caller call;
  call.files.files["bad.yaml"] = "a: [\n";
  CHECK(contains(call({"build", "bad.yaml", "--color", "always"}).err, "\x1b["));
  CHECK(contains(call({"--color", "always", "build", "bad.yaml"}).err, "\x1b["));
  CHECK(contains(call({"--color=always", "build", "bad.yaml"}).err, "\x1b["));
  CHECK(!contains(call({"build", "bad.yaml"}).err, "\x1b["));
  CHECK(!contains(call({"build", "bad.yaml", "--color", "never"}).err, "\x1b["));
}
