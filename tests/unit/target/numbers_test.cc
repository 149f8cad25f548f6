// Numbers in templates are facts about other systems, so each names its source.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "folders.h"

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A line without its comment, and the comment.
struct Line {
  std::string_view code;
  std::string_view comment;
};

Line split(std::string_view line) {
  std::size_t at = line.starts_with('#') ? 0 : line.find(" #");
  if (at == line.npos) at = line.size();
  return {line.substr(0, at), line.substr(at)};
}

/// A number above 1, an amount such as `2Gi` or a release such as `0.8`.
bool is_number(std::string_view text) {
  std::size_t parts = 0;
  std::string_view rest = text;
  while (!rest.empty() && is_digit(rest.front())) {
    ++parts;
    while (!rest.empty() && is_digit(rest.front())) rest.remove_prefix(1);
    if (!rest.starts_with('.')) break;
    rest.remove_prefix(1);
  }
  if (parts == 0 || parts > 3 || text == "0" || text == "1") return false;
  constexpr std::string_view kUnits[] = {"",  "Ki", "Mi", "Gi", "Ti", "k", "M",
                                         "G", "T",  "m",  "s",  "h",  "%"};
  return std::ranges::find(kUnits, rest) != std::end(kUnits);
}

/// The scalar that starts here, without its quotes.
std::string_view scalar_at(std::string_view code, std::size_t at) {
  const bool quoted = code[at] == '\'' || code[at] == '"';
  if (quoted) return code.substr(at + 1, code.find(code[at], at + 1) - at - 1);
  return code.substr(at, code.find_first_of(" ,}]", at) - at);
}

/// Whether a line has a number as a value.
bool has_number(std::string_view code) {
  for (std::size_t at = 1; at < code.size(); ++at) {
    if ((code[at - 1] != ' ' && code[at - 1] != '[') || code[at] == ' ') continue;
    const std::string_view before = code.substr(0, code.find_last_not_of(' ', at - 1) + 1);
    if (before.empty() || std::string_view(":-,[").find(before.back()) == before.npos) continue;
    if (is_number(scalar_at(code, at))) return true;
  }
  return false;
}

/// `owner/repo`, or what a vendor calls his documentation.
bool names_source(std::string_view comment) {
  for (std::size_t at = comment.find('/'); at != comment.npos; at = comment.find('/', at + 1)) {
    if (at > 0 && at + 1 < comment.size() && is_word(comment[at - 1]) && is_word(comment[at + 1])) {
      return true;
    }
  }
  return comment.find("documentation") != comment.npos;
}

/// The keys at the margin below which there is a number and no source.
std::vector<std::string> without_source(const std::vector<std::string>& lines) {
  std::vector<std::string> found;
  std::string key;
  bool number = false;
  bool source = false;
  bool source_of_next = false;
  const auto finish = [&] {
    if (number && !source) found.push_back(key);
    number = false;
  };
  for (const std::string& text : lines) {
    const Line line = split(text);
    if (line.code.empty()) {  // a comment at the margin is about what follows
      source_of_next = (text.empty() ? false : source_of_next) || names_source(line.comment);
      continue;
    }
    const bool starts = is_word(line.code.front()) || line.code.front() == '$';
    if (starts) {
      finish();
      key = line.code.substr(0, line.code.find(':'));
      source = false;
    }
    source = source || source_of_next || names_source(line.comment);
    source_of_next = false;
    number = number || has_number(line.code);
  }
  finish();
  return found;
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("every number in a template or a target's facts says where it is from") {
  namespace fs = std::filesystem;
  const fs::path folder = trainyard::testing::repository() / "templates";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_directory() || entry.path().extension() == ".md") continue;
    INFO(name);
    CHECK(entry.path().extension() == ".yaml");
    // These have a field `source`, which the tests of `spec` look at, or are examples.
    if (name.starts_with("fabrics/") || name.starts_with("machines/")) continue;
    if (name.starts_with("images/") || name.starts_with("diagnosis/")) continue;
    if (name.starts_with("checks/") || name == "examples.yaml" || name == "starters.yaml") continue;
    CHECK(without_source(lines_of(entry.path())) == std::vector<std::string>{});
    ++files;
  }
  CHECK(files > 40);
}

TEST_CASE("a number without a source is found, and only that") {
  using Keys = std::vector<std::string>;
  CHECK(without_source({"names:", "  limit: 63"}) == Keys{"names"});
  CHECK(without_source({"names:", "  limits: [1, 63]"}) == Keys{"names"});
  CHECK(without_source({"# owner/repo path", "names:", "  limit: 63"}).empty());
  CHECK(without_source({"names:", "  # owner/repo path", "  limit: 63"}).empty());
  CHECK(without_source({"names:", "  limit: 63  # owner/repo path"}).empty());
  CHECK(without_source({"# some reason", "names:", "  limit: 63"}) == Keys{"names"});
  CHECK(without_source({"# owner/repo path", "", "names:", "  limit: 63"}) == Keys{"names"});
  CHECK(without_source({"# owner/repo path", "a: 2", "b: 3"}) == Keys{"b"});
  CHECK(without_source({"a:", "- {file: b.yaml, since: '0.8'}"}) == Keys{"a"});
  CHECK(without_source({"a: '2'", "b: 2Gi", "c: 0.5", "d: 60s", "e: \"1.34.1\""}) ==
        Keys{"a", "b", "c", "d", "e"});
  CHECK(without_source({"a: 1", "b: '0'", "c: v2", "d: 0.0.0.0", "e: before 3", "f: 2x"}).empty());
}
