#include "cli/run_git.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cli/run_program.h"

namespace trainyard {
namespace {

constexpr auto kSettings = std::to_array<std::string_view>(
    {"LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"});
/// What a hook sets for its own repository.
constexpr auto kLeftOut = std::to_array<std::string_view>(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"});

std::vector<std::string> environment() {
  std::vector<std::string> result;
  for (const std::string& entry : whole_environment()) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    const bool is_set = std::ranges::any_of(kSettings, [name](std::string_view setting) {
      return setting.substr(0, setting.find('=')) == name;
    });
    if (!is_set && std::ranges::find(kLeftOut, name) == kLeftOut.end()) result.push_back(entry);
  }
  result.insert(result.end(), kSettings.begin(), kSettings.end());
  return result;
}

}  // namespace

GitRun run_git(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> words = {
      "git", "--no-pager",          "--literal-pathspecs", "-c", "protocol.allow=never",
      "-c",  "core.fsmonitor=false"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ProgramRun run = run_program(words, input, environment());
  return {run.code, std::move(run.out), std::move(run.err)};
}

}  // namespace trainyard
