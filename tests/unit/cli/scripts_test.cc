// The completion scripts and the manual, read by the shells and by groff where they are installed.

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "folders.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

struct Ran {
  int status = -1;
  std::string output;
};

Ran run(const std::string& command) {
  Ran ran;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    ran.output.append(buffer, count);
  }
  ran.status = ::pclose(pipe);
  return ran;
}

bool installed(const std::string& program) {
  if (run("command -v " + program).status == 0) return true;
  WARN(program << " is not installed: what it would read is not checked");
  return false;
}

/// What the program prints, as a file. Tests run at the same time: each needs a name of its own.
std::string printed(std::vector<std::string> words, const std::string& name) {
  Caller call;
  const Called called = call(std::move(words));
  REQUIRE(called.code == ExitCode::Good);
  const std::string path = testing::build_folder().string() + "/test-" + name;
  std::ofstream(path) << called.out;
  return "'" + path + "'";
}

}  // namespace

TEST_CASE("shells read their completion scripts") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string path = printed({"completion", shell}, "completion." + shell);
    if (!installed(shell)) continue;
    const Ran ran = run(shell + " -n " + path);
    INFO(ran.output);
    CHECK(ran.status == 0);
    CHECK(ran.output.empty());
  }
  Caller call;
  CHECK(call({"completion", "tcsh"}).code == ExitCode::CallWrong);
}

TEST_CASE("bash completes commands, options, their values and operands") {
  const std::string path = printed({"completion", "bash"}, "completes.bash");
  if (!installed("bash")) return;
  const auto completed = [&](const std::string& line) {
    const std::string script = "source " + path + "; COMP_WORDS=(" + line +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _trainyard; echo "
                               "${COMPREPLY[*]}";
    return run("bash -c \"" +
               [&] {
                 std::string escaped;
                 for (char c : script) {
                   if (c == '"' || c == '$' || c == '\\') escaped += '\\';
                   escaped += c;
                 }
                 return escaped;
               }() +
               "\"")
        .output;
  };
  CHECK(completed("trainyard bu") == "build\n");
  CHECK(completed("trainyard build --prov") == "--provenance\n");
  CHECK(completed("trainyard build --target jo") == "job jobset\n");
  CHECK(completed("trainyard build --target = jo") == "job jobset\n");
  CHECK(completed("trainyard build -t jobs") == "jobset\n");
  CHECK(completed("trainyard build -t jobz") == "\n");  // planned
  CHECK(completed("trainyard explain rend") == "rendezvous rendezvous-variables\n");
  CHECK(completed("trainyard help schema im") == "import\n");
  CHECK(completed("trainyard list tar") == "targets\n");
  CHECK(completed("trainyard list targets --output mark") == "markdown\n");
  CHECK(completed("trainyard schema im") == "import\n");
  CHECK(completed("trainyard schema import --defi") == "--definition\n");
  CHECK(completed("trainyard completion z") == "zsh\n");
  // Of a command on a cluster this program knows the name.
  CHECK(completed("trainyard canc") == "cancel\n");
}

TEST_CASE("every option is in every completion script and in the manual") {
  Caller call;
  const std::string bash = call({"completion", "bash"}).out;
  const std::string zsh = call({"completion", "zsh"}).out;
  const std::string fish = call({"completion", "fish"}).out;
  const std::string man = call({"man"}).out;
  for (const auto& command : all_commands()) {
    for (const CallArgument& row : command->all_arguments()) {
      if (row.operand) continue;
      INFO(command->name() << " --" << row.name);
      CHECK(contains(bash, "--" + row.name));
      CHECK(contains(zsh, "--" + row.name));
      CHECK(contains(fish, " -l " + row.name));
      std::string troff = row.name;
      for (std::size_t at = 0; (at = troff.find('-', at)) != troff.npos; at += 2) {
        troff.insert(at, "\\");
      }
      CHECK(contains(man, "\\fB\\-\\-" + troff));
    }
  }
}

TEST_CASE("the manual is troff without a warning") {
  const std::string path = printed({"man"}, "trainyard.1");
  if (!installed("groff")) return;
  const Ran ran = run("groff -man -Tascii -ww " + path + " >/dev/null");
  CHECK(ran.status == 0);
  CHECK(ran.output.empty());
  const std::string text = run("groff -man -Tascii -P-cbou " + path).output;
  CHECK(contains(text, "EXIT STATUS"));
  CHECK(contains(text, "--output-dir"));
  CHECK(!contains(text, "\\f"));
}
