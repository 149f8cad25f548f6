#include "golden/first_lines.h"

#include <map>
#include <vector>

#include "golden/case.h"
#include "golden/files.h"
#include "golden_cases.h"

namespace trainyard::golden {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostCharacters = 120;

/// What stands between backticks.
std::vector<std::string_view> quoted(std::string_view line) {
  std::vector<std::string_view> result;
  for (std::size_t open = line.find('`'); open != std::string_view::npos;) {
    const std::size_t close = line.find('`', open + 1);
    if (close == std::string_view::npos) break;
    result.push_back(line.substr(open + 1, close - open - 1));
    open = line.find('`', close + 1);
  }
  return result;
}

/// All that a case holds but its comments: command lines, names of files and what is in them.
std::string content(const testing::GoldenCase& each, const fs::path& repository) {
  std::string all;
  for (const std::string& command : each.commands()) all += command + '\n';
  const auto add = [&](const Files& files) {
    for (const auto& [name, text] : files) {
      if (name != "args") all += name + '\n' + text + '\n';
    }
  };
  add(read_tree(each.path));
  add(load_case(each.path, repository).inputs);
  return all;
}

std::string fault(const testing::GoldenCase& each, std::string_view line,
                  const fs::path& repository) {
  const std::string at = each.name + "/args: ";
  const bool is_sentence = line.starts_with("# ") && line.ends_with('.') && line.size() > 3;
  if (!is_sentence) {
    return at + "the first line has to say what to look at: `# A sentence.`\n";
  }
  if (line.size() > kMostCharacters) {
    return at + "the first line has " + std::to_string(line.size()) + " characters, at most " +
           std::to_string(kMostCharacters) + " are allowed\n";
  }
  const std::string all = content(each, repository);
  std::string wrong;
  for (std::string_view word : quoted(line)) {
    if (all.find(word) != std::string::npos) continue;
    wrong += at + "the first line names `" + std::string(word) + "`, which stands nowhere in it\n";
  }
  return wrong;
}

}  // namespace

std::string check_first_lines(const fs::path& golden) {
  std::string wrong;
  std::map<std::string, std::string> cases;  // by their first line
  for (const testing::GoldenCase& each : testing::golden_cases(golden)) {
    const std::string args = read_file(each.path / "args");
    const std::string line = args.substr(0, args.find('\n'));
    wrong += fault(each, line, golden.parent_path());
    const auto [first, is_new] = cases.emplace(line, each.name);
    if (!is_new && line.starts_with("# ")) {
      wrong += each.name + "/args: the first line is that of " + first->second + '\n';
    }
  }
  return wrong;
}

}  // namespace trainyard::golden
