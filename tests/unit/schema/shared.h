#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::testing {

/// A table with named columns.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  const std::string& at(const std::vector<std::string>& row, const std::string& column) const;
};
Table read_tsv(const std::filesystem::path& path);

}  // namespace trainyard::testing
