// The completions and the manual of trainyard-cluster: those of both programs.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>

#include "cli/cli.h"
#include "cli/cluster_program.h"
#include "cluster/client.h"
#include "folders.h"
#include "live/live_command.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

std::string printed(Client& client, const std::vector<std::string>& words) {
  std::string out;
  std::string err;
  Env env{client.files, nullptr};
  Io io{env, out, err};
  REQUIRE(run_cli(words, io, live_commands(client.machine)) == ExitCode::Good);
  CHECK(err.empty());
  return out;
}

/// Whether a program, where it is installed, reads the text without a word.
bool is_read(const std::string& program, const std::string& call, const std::string& text) {
  if (std::system(("command -v " + program + " >/dev/null").c_str()) != 0) return true;
  const std::string path = testing::build_folder().string() + "/test-told";
  std::ofstream(path) << text;
  return std::system((call + " '" + path + "' 2>&1 >/dev/null | (! grep .)").c_str()) == 0;
}

}  // namespace

TEST_CASE(
    "every option of a command on a cluster is in every completion script and in the manual") {
  Client client;
  const std::string bash = printed(client, {"completion", "bash"});
  const std::string zsh = printed(client, {"completion", "zsh"});
  const std::string fish = printed(client, {"completion", "fish"});
  const std::string man = printed(client, {"man"});
  for (const auto& command : live_commands(client.machine)) {
    const std::string name(command->name());
    INFO(name);
    const std::size_t row = bash.find("    '" + name + "')\n");
    REQUIRE(row != std::string::npos);
    // Once: what both programs have is one row.
    CHECK(bash.find("    '" + name + "')\n", row + 1) == std::string::npos);
    const std::string options = bash.substr(row, bash.find("\n      ;;", row) - row);
    CHECK(has(man, "\n.SS " + name + "\n"));
    for (const CallArgument& argument : command->all_arguments()) {
      if (argument.operand) continue;
      INFO(argument.name);
      CHECK(has(options, "--" + argument.name));
      CHECK(has(zsh, "--" + argument.name));
      CHECK(has(fish, " -l " + argument.name));
    }
  }
}

TEST_CASE("the completions of both programs hold what either has alone") {
  Client client;
  const std::string bash = printed(client, {"completion", "bash"});
  const auto options_of = [&bash](const std::string& name) {
    const std::size_t row = bash.find("    '" + name + "')\n");
    return bash.substr(row, bash.find("\n      ;;", row) - row);
  };
  CHECK(has(options_of("status"), "--from"));
  CHECK(has(options_of("status"), "--watch"));
  CHECK(has(options_of("plan"), "--old"));
  CHECK(has(options_of("plan"), "--context"));
  CHECK(has(options_of("build"), "--provenance"));
}

TEST_CASE("the manual of both programs has the exit codes of commands on a cluster") {
  Client client;
  const std::string man = printed(client, {"man"});
  CHECK(has(man, ".SH COMMANDS ON A CLUSTER\n.SS plan\n"));
  for (const char* code : {"4", "5", "6", "7", "8", "9", "130"}) {
    INFO(code);
    CHECK(has(man.substr(man.find("have more:")), "\\fB" + std::string(code) + "\\fR\n"));
  }
}

TEST_CASE("shells and groff read what is printed of both programs") {
  Client client;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    INFO(shell);
    CHECK(is_read(shell, shell + " -n", printed(client, {"completion", shell})));
  }
  CHECK(is_read("groff", "groff -man -Tascii -ww", printed(client, {"man"})));
}
