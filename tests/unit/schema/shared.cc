#include "unit/schema/shared.h"
#include "file_text.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace trainyard::testing {

const std::string& Table::at(const std::vector<std::string>& row, const std::string& column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) throw std::runtime_error("no column " + column);
  return row.at(static_cast<std::size_t>(found - columns.begin()));
}

Table read_tsv(const std::filesystem::path& path) {
  Table table;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::istringstream cell_stream(line + '\t');
    for (std::string cell; std::getline(cell_stream, cell, '\t');) cells.push_back(cell);
    (table.columns.empty() ? table.columns : table.rows.emplace_back()) = cells;
  }
  return table;
}

}  // namespace trainyard::testing
