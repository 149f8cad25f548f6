#include "tools/files.h"

#include <algorithm>

namespace trainyard {

std::vector<std::string> files_below(const std::filesystem::path& folder) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      result.push_back(entry.path().lexically_relative(folder).generic_string());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace trainyard
