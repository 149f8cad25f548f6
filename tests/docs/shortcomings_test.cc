// docs/shortcomings.md: each of the thirty-three has an answer and tests that show it: golden
// cases, and tests of a file by their names. All of them exist.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "file_text.h"
#include "folders.h"

using trainyard::testing::read_file;

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = trainyard::testing::repository();

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

/// A golden case, or a file of tests and the name of one of them.
struct Shown {
  std::string path;
  std::string test;
};

/// Parts such as "`golden/a`" and "`tests/b_test.cc`: *a name*", with commas between.
std::vector<Shown> shown_by(const std::string& text) {
  std::vector<Shown> found;
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at + 1)) {
    const std::size_t end = text.find('`', at + 1);
    REQUIRE(end != std::string::npos);
    Shown shown{text.substr(at + 1, end - at - 1), ""};
    constexpr std::string_view kNamed = ": *";
    if (text.compare(end + 1, kNamed.size(), kNamed) == 0) {
      const std::size_t from = end + 1 + kNamed.size();
      shown.test = text.substr(from, text.find('*', from) - from);
    }
    found.push_back(shown);
    at = end;
  }
  return found;
}

/// The text of a source with the pieces of its string literals put together.
std::string joined(std::string text) {
  for (std::size_t at = text.find("\"\n"); at != std::string::npos; at = text.find("\"\n", at)) {
    const std::size_t next = text.find_first_not_of(' ', at + 2);
    if (next != std::string::npos && text[next] == '"') {
      text.erase(at, next + 1 - at);
    } else {
      ++at;
    }
  }
  return text;
}

/// Whether a file has a test of this name: a case of Catch2, or the cases of a check.
bool has_test(const fs::path& file, const std::string& test) {
  const std::string text = read_file(file);
  if (test.empty()) return false;
  if (file.extension() == ".yaml") {
    return ("\n" + text).find("\ncheck: " + test + "\n") != std::string::npos;
  }
  const std::string source = joined(text);
  return source.find("TEST_CASE(\"" + test + "\")") != std::string::npos ||
         source.find("TEST_CASE(\n    \"" + test + "\")") != std::string::npos;
}

bool is_there(const Shown& shown) {
  const fs::path path = kRoot / shown.path;
  if (shown.path.starts_with("golden/")) return fs::exists(path / "args") && shown.test.empty();
  return shown.path.starts_with("tests/") && fs::exists(path) && has_test(path, shown.test);
}

}  // namespace

TEST_CASE("each shortcoming has an answer, and golden cases or tests by name that show it") {
  std::set<std::string> numbers;
  for (const Row& row : rows()) {
    INFO(row.number);
    CHECK(numbers.insert(row.number).second);
    CHECK(row.answer.size() > 20);
    const auto shown = shown_by(row.shown);
    CHECK_FALSE(shown.empty());
    for (const Shown& each : shown) {
      INFO(each.path << " " << each.test);
      CHECK(is_there(each));
    }
  }
  for (int number = 1; number <= 34; ++number) CHECK(numbers.contains(std::to_string(number)));
  CHECK(numbers.size() == 36);
}

TEST_CASE("a test that is not there is no proof") {
  const std::string here = "tests/docs/shortcomings_test.cc";
  CHECK(is_there({here, "a test that is not there is no proof"}));
  CHECK_FALSE(is_there({here, "a test that is not there"}));
  CHECK_FALSE(is_there({here, ""}));
  CHECK_FALSE(is_there({"tests/docs/no_such_test.cc", "a"}));
  CHECK(is_there({"tests/unit/lints/launch/ranks_cases.yaml", "elastic-standalone"}));
  CHECK_FALSE(is_there({"tests/unit/lints/launch/ranks_cases.yaml", "elastic"}));
  CHECK(is_there({"golden/data/staged-files", ""}));
  CHECK_FALSE(is_there({"golden/no-such-case", ""}));
  CHECK(shown_by("`a`, `b.cc`: *c, d*, `e`").size() == 3);
  CHECK(shown_by("`a`, `b.cc`: *c, d*, `e`")[1].test == "c, d");
}
