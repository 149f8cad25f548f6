// docs/runai.md says of each parameter of a TrainingWorkload where it comes from, and the template
// writes these.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <sstream>
#include <string>

#include "file_text.h"
#include "folders.h"

using trainyard::testing::read_file;
using trainyard::testing::repository;

using Names = std::set<std::string>;

namespace {

std::istringstream file(const std::string& path) {
  return std::istringstream(read_file(repository() / path));
}

/// The first cells of the table below a heading.
Names rows_below(const std::string& heading) {
  Names rows;
  bool inside = false;
  std::istringstream text = file("docs/runai.md");
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) inside = line == heading;
    if (!inside || !line.starts_with("| `")) continue;
    rows.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return rows;
}

/// The fields of `spec` in the template.
Names written() {
  Names fields;
  bool inside = false;
  std::istringstream text = file("templates/runai/workload.yaml");
  for (std::string line; std::getline(text, line);) {
    if (line == "spec:") inside = true;
    if (!inside || !line.starts_with("  ") || line[2] == ' ') continue;
    fields.insert(line.substr(2, line.find(':') - 2));
  }
  return fields;
}

}  // namespace

TEST_CASE("each of the 64 parameters of a TrainingWorkload is written, but for the internal one") {
  const Names rows = rows_below("## Every parameter of a TrainingWorkload");
  CHECK(rows.size() == 64);
  const Names fields = written();
  for (const std::string& row : rows) {
    INFO(row);
    CHECK(fields.contains(row) == (row != "ingressUrl"));
  }
  const std::string page = file("docs/runai.md").str();
  for (const std::string& field : fields) {
    INFO(field);
    CHECK(page.find("`" + field + "`") != std::string::npos);
  }
}
