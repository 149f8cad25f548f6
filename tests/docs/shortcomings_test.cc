// docs/shortcomings.md: each of the thirty-three has an answer and something that shows it, and
// what it names is there.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = TRAINYARD_SOURCE_DIR;

struct Row {
  std::string number;
  std::string answer;
  std::string shown;
};

std::vector<Row> rows() {
  std::vector<Row> found;
  std::ifstream page(kRoot / "docs/shortcomings.md");
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| #")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = std::min(line.find(" |", at), line.size());
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    REQUIRE(cells.size() == 4);
    found.push_back({cells[0], cells[2], cells[3]});
  }
  return found;
}

std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at + 1)) {
    const std::size_t end = text.find('`', at + 1);
    REQUIRE(end != std::string::npos);
    found.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return found;
}

}  // namespace

TEST_CASE("each shortcoming has an answer, and a case or a test that shows it") {
  std::set<std::string> numbers;
  for (const Row& row : rows()) {
    INFO(row.number);
    CHECK(numbers.insert(row.number).second);
    CHECK(row.answer.size() > 20);
    const auto shown = quoted(row.shown);
    CHECK_FALSE(shown.empty());
    for (const std::string& path : shown) {
      INFO(path);
      CHECK((path.starts_with("golden/") || path.starts_with("tests/")));
      CHECK(fs::exists(kRoot / path));
    }
  }
  for (int number = 1; number <= 33; ++number) CHECK(numbers.contains(std::to_string(number)));
  CHECK(numbers.size() == 35);
}
