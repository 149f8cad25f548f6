#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::testing {

/// The folder of collected upstream files, beside the source tree or where TRAINYARD_SHARED says;
/// empty when it is not there.
std::filesystem::path shared_folder();

std::string read_file(const std::filesystem::path& path);

/// A table with named columns.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  const std::string& at(const std::vector<std::string>& row, const std::string& column) const;
};
Table read_tsv(const std::filesystem::path& path);

}  // namespace trainyard::testing
