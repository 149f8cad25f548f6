// The shells around a program and a daemon, run by the shells that are here.
#include "rules/fabric_command.h"

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "unit/rules/run_words.h"

using namespace trainyard;
using namespace trainyard::testing;
namespace fs = std::filesystem;

namespace {

/// Starts the words with the folder of the end at another place, and less waiting.
pid_t start(std::vector<std::string> words, const fs::path& folder) {
  return start_words(std::move(words), {{std::string(kEndFolder), folder.string()},
                                        {"sleep 15", "sleep 0"},
                                        {"sleep 10", "sleep 0.05"}});
}

std::vector<std::string> with(std::vector<std::string> words, const std::string& script) {
  words.insert(words.end(), {"sh", "-c", script});
  return words;
}

void write(const fs::path& path, const std::string& text) {
  FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs(text.c_str(), file);
  std::fclose(file);
}

}  // namespace

TEST_CASE("a program behind settings has them, and is started in their place") {
  Folder folder;
  write(folder.path / "settings", "export ANSWER=42\n");
  const auto words = program_wrapper((folder.path / "settings").string(), false);
  CHECK(result_of(start(with(words, "exit $ANSWER"), folder.path)) == 42);
}

TEST_CASE("a program whose settings are not there does not start") {
  Folder folder;
  const auto words = program_wrapper((folder.path / "settings").string(), false);
  CHECK(result_of(start(with(words, "exit 0"), folder.path)) == 1);
}

TEST_CASE("a program that tells its end ends with its own code") {
  for (int code : {0, 1, 7, 127, 255}) {
    Folder folder;
    const auto words = program_wrapper("", true);
    CHECK(result_of(start(with(words, "exit " + std::to_string(code)), folder.path)) == code);
    CHECK(fs::exists(folder.path / "ended"));
  }
}

TEST_CASE("missing settings are reported as an end") {
  Folder folder;
  const auto words = program_wrapper((folder.path / "settings").string(), true);
  CHECK(result_of(start(with(words, "exit 0"), folder.path)) == 1);
  CHECK(fs::exists(folder.path / "ended"));
}

// SIGINT is ignored by what a shell starts behind itself, until the program handles it: no shell
// can.
TEST_CASE("signals reach a program that tells its end as they are, and its code is what counts") {
  const std::vector<std::pair<std::string, int>> signals = {
      {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
  for (const auto& [name, number] : signals) {
    INFO(name);
    Folder folder;
    std::string program;
    for (const auto& [each, code] : signals) {
      program += "trap 'exit " + std::to_string(code + 40) + "' " + each + "; ";
    }
    program += "touch " + folder.file("ready") + "; while :; do sleep 0.05; done";
    const pid_t child = start(with(program_wrapper("", true), program), folder.path);
    // The shell has set its traps before it starts the program.
    while (!fs::exists(folder.path / "ready")) usleep(10'000);
    kill(child, number);
    CHECK(result_of(child) == number + 40);
    CHECK(fs::exists(folder.path / "ended"));
  }
}

TEST_CASE("a daemon ends with success after the program") {
  Folder folder;
  const pid_t child = start(with(daemon_wrapper(), "exec sleep 60"), folder.path);
  write(folder.path / "ended", "");
  CHECK(result_of(child) == 0);
}

TEST_CASE("a daemon that fails by itself fails the pod") {
  Folder folder;
  CHECK(result_of(start(with(daemon_wrapper(), "exit 9"), folder.path)) == 9);
}
