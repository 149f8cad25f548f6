#include "golden/layout.h"

#include <algorithm>
#include <vector>

namespace trainyard::golden {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLevels = 3;

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) result.push_back(entry.path());
  std::ranges::sort(result);
  return result;
}

class Walk {
 public:
  explicit Walk(const fs::path& golden) : golden_(golden) {}

  std::string folder(const fs::path& at, std::size_t level) {
    std::string wrong;
    std::size_t held = 0;
    for (const fs::path& each : entries(at)) {
      const std::string name = each.lexically_relative(golden_).generic_string();
      if (!fs::is_directory(each)) {
        if (level > 0 || each.extension() != ".md") wrong += name + " belongs to no case\n";
        continue;
      }
      ++held;
      wrong += fs::exists(each / "args") ? of_case(name, level + 1) : folder(each, level + 1);
    }
    if (level == 0) return wrong;
    const std::string name = at.lexically_relative(golden_).generic_string();
    if (held == 0) return name + "/ has no file `args`\n" + wrong;
    if (held == 1) wrong += name + "/ holds one case or folder: move it up\n";
    return wrong;
  }

 private:
  static std::string of_case(const std::string& name, std::size_t level) {
    if (level == 1) return name + "/ lies in no folder\n";
    if (level > kLevels) return name + "/ lies more than three levels deep\n";
    return {};
  }

  const fs::path& golden_;
};

}  // namespace

std::string check_layout(const fs::path& golden) {
  return Walk(golden).folder(golden, 0);
}

}  // namespace trainyard::golden
