#include "unit/rules/run_words.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>

#include "rules/host_names.h"

namespace trainyard::testing {

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "trainyard-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path = pattern;
}

Folder::~Folder() {
  std::filesystem::remove_all(path);
}

pid_t start_words(Words words, const std::vector<std::pair<std::string, std::string>>& replaced,
                  bool quiet) {
  for (std::string& word : words) {
    for (const auto& [from, to] : replaced) word = expanded(word, from, to);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (quiet && std::freopen("/dev/null", "w", stderr) == nullptr) _exit(125);
    execvp(arguments[0], arguments.data());
    _exit(126);
  }
  return child;
}

int result_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool runs(pid_t child) {
  return waitpid(child, nullptr, WNOHANG) == 0;
}

}  // namespace trainyard::testing
