#include "golden/runner.h"

#include <cstdlib>

#include "golden/case.h"
#include "golden/digests.h"
#include "golden/process.h"

namespace trainyard::golden {

namespace fs = std::filesystem;

namespace {

/// Where and in which surroundings a case runs. What it shows must not depend on it.
struct CheckInputs {
  std::string directory;  // below the temporary one
  std::vector<std::string> environment;
};

CheckInputs pinned() {
  return {"case", {"LC_ALL=C", "TZ=UTC", "TERM=dumb", "NO_COLOR=1", "COLUMNS=80"}};
}

CheckInputs elsewhere() {
  return {"another place/with a longer name",
          {"LC_ALL=tr_TR.UTF-8", "LANG=de_DE.UTF-8", "TZ=Asia/Kathmandu", "TERM=xterm-256color",
           "COLUMNS=37", "USER=somebody"}};
}

/// What every program needs, and what the sanitizers read.
std::vector<std::string> inherited() {
  std::vector<std::string> result;
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                           "LSAN_OPTIONS", "LLVM_PROFILE_FILE"}) {
    if (const char* value = std::getenv(name)) result.push_back(std::string(name) + '=' + value);
  }
  return result;
}

struct Observed {
  Expectation seen;
  std::string faults;
};

/// What the run left behind: out/ apart, then whatever else is new or changed.
void compare_trees(const Files& inputs, const Files& found, Observed& observed) {
  for (const auto& [name, text] : found) {
    const auto input = inputs.find(name);
    if (name.starts_with("out/")) {
      observed.seen.tree[name.substr(4)] = text;
    } else if (input == inputs.end() || input->second != text) {
      observed.seen.changed[name] = text;
    }
  }
  for (const auto& [name, text] : inputs) {
    const bool gone = !found.contains(name) && !name.starts_with("out/");
    if (gone) observed.faults += "the run removed its input `" + name + "`\n";
  }
}

Observed observe(const fs::path& program, const Case& golden_case, const CheckInputs& around) {
  const TemporaryDirectory temporary;
  const fs::path directory = temporary.path() / around.directory;
  const fs::path scratch = temporary.path() / "streams";
  fs::create_directories(directory);
  fs::create_directories(scratch);
  write_tree(directory, golden_case.inputs);
  fs::create_directories(directory / ".git");  // the root of what its files may name
  std::vector<std::string> environment = inherited();
  environment.insert(environment.end(), around.environment.begin(), around.environment.end());
  environment.push_back("HOME=" + scratch.string());

  Observed observed;
  const bool several = golden_case.commands.size() > 1;
  for (const Command& command : golden_case.commands) {
    if (observed.seen.exit != 0) {
      observed.faults += "a command before `" + command.line + "` failed\n";
      break;
    }
    const Outcome outcome = run_program(program, command, directory, scratch, environment);
    if (several) observed.seen.out += "$ trainyard " + command.line + '\n';
    observed.seen.out += outcome.out;
    observed.seen.err += outcome.err;
    observed.seen.exit = outcome.exit;
    if (outcome.signal != 0) {
      observed.faults += "`" + command.line + "` was ended by signal " +
                         std::to_string(outcome.signal) + '\n' + outcome.err;
      break;
    }
  }
  compare_trees(golden_case.inputs, read_tree(directory), observed);
  return observed;
}

std::string compare(const Expectation& expected, const Expectation& seen) {
  std::string wrong;
  if (expected.exit != seen.exit) {
    wrong += "exit: expected " + std::to_string(expected.exit) + ", was " +
             std::to_string(seen.exit) + '\n';
  }
  if (expected.out != seen.out) wrong += "stdout:\n" + difference(expected.out, seen.out);
  if (expected.err != seen.err) wrong += "stderr:\n" + difference(expected.err, seen.err);
  wrong += difference("out/", expected.tree, seen.tree);
  wrong += difference("after/", expected.changed, seen.changed);
  return wrong;
}

}  // namespace

Result run_case(const fs::path& program, const fs::path& directory, const fs::path& repository,
                bool update) {
  Case golden_case = load_case(directory, repository);
  Result result{golden_case.name, {}};
  if (golden_case.commands.empty()) {
    result.wrong = "there is no command to run in `args`\n";
    return result;
  }
  Observed first = observe(program, golden_case, pinned());
  const Observed second = observe(program, golden_case, elsewhere());
  std::string& wrong = result.wrong;
  wrong = first.faults;
  const std::string depends = compare(first.seen, second.seen);
  if (!depends.empty()) {
    wrong += "another directory, locale, time zone or terminal gives something else:\n" + depends;
  }
  if (!golden_case.true_digests) mask_digests(first.seen);
  if (update && wrong.empty()) {
    result.rewritten = save_expectation(directory, first.seen);
    golden_case = load_case(directory, repository);
  }
  for (const std::string& fault : golden_case.faults) wrong += fault + '\n';
  wrong += compare(golden_case.expected, first.seen);
  return result;
}

}  // namespace trainyard::golden
