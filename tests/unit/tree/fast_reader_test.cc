// The fast reader beside yaml-cpp: whatever it accepts, it reads as yaml-cpp does.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "fuzz/readings.h"

using namespace trainyard;
using trainyard::testing::read_file;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".yaml" || extension == ".yml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

const fs::path kSource = testing::repository();

std::vector<fs::path> own_files() {
  std::vector<fs::path> files;
  for (const char* folder : {"examples", "golden", "templates", "schemas/trainyard"}) {
    const std::vector<fs::path> more = yaml_files(kSource / folder);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

void check_both_ways(std::string_view text) {
  for (const Ambiguity ambiguity : {Ambiguity::Refuse, Ambiguity::Kubernetes}) {
    const std::string found = readings::difference(text, {}, ambiguity);
    if (found.empty()) continue;
    INFO(text);
    CHECK(found == "");
  }
}

bool accepts(std::string_view text) {
  check_both_ways(text);
  return readings::accepted(text, Ambiguity::Refuse);
}

/// One change of the kind that people and programs make: a character, a line, an indentation.
std::string mutated(std::string text, std::minstd_rand& random) {
  static constexpr std::string_view kPieces[] = {
      " ",     "  ", "\n", "\n\n", ":", ": ",   "- ", "#",  " #", "'", "\"",   "[",
      "]",     "{",  "}",  ",",    "|", "|-\n", ">",  "&a", "*a", "!", "\t",   "---\n",
      "...\n", "? ", "~",  "<<: ", "0", "\\",   "%",  "@",  "`",  "é", "\r\n", "a: b\n"};
  const std::size_t at = text.empty() ? 0 : random() % text.size();
  switch (random() % 4) {
    case 0:
      text.erase(at, 1 + random() % 3);
      break;
    case 1:
      text.insert(at, kPieces[random() % std::size(kPieces)]);
      break;
    case 2: {
      const std::size_t line = text.find('\n', at);
      if (line != text.npos) text.insert(line + 1, std::string(1 + random() % 3, ' '));
      break;
    }
    default: {
      const std::size_t line = text.find('\n', at);
      if (line != text.npos && line + 2 < text.size()) text.erase(line + 1, 1 + random() % 2);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("what is rare or would be a message is declined") {
  const char* text =
      GENERATE("a: &b c\n", "a: *b\n", "a: !!str b\n", "%YAML 1.2\n---\na: b\n", "? a\n: b\n",
               "<<: {a: b}\n", "a:\tb\n", "\ta: b\n", "a: b: c\n", "a: [b\n", "a: 'b\n",
               "a: b\na: c\n", "{a: b, a: c}\n", "a: yes\n", "yes: a\n", "null: a\n",
               "a: b\n c: d\n", "- a\nb: c\n", "a: @b\n", "a: [b]#c\n", "a: 'b'#c\n", "a: {b}\n",
               "a: [b: c]\n", "--- a\n", "a: b\n... c\n", "a: b\r\n");
  INFO(text);
  CHECK_FALSE(accepts(text));
}

TEST_CASE("what people write is accepted") {
  const char* text = GENERATE(
      "a: b\n", "a:\n  b: c\n", "a:\n- b\n- c: d\n  e: f\n", "- - a\n  - b\n-\n- c\n", "a:\nb: c\n",
      "a: [b, 'c', \"d\\n\", {e: f}]\n", "a: {b: 1, \"c\": 2,}\n", "[]\n", "{}\n", "a: {}\nb: []\n",
      "# a\n\n---\n# b\na: b # c\n---\n---\nc: d\n...\n", "a: |\n  b\n\n    c\n  d\n\ne: f\n",
      "a: |-\n  b\n", "a: |+\n  b\n\n\n", "a: 'it''s'\n", "a: \"\\\"\\t\\\\\"\n", "a: b#c d:e\n",
      "\"a\": b\n", "a: 1\nb: 1.5\nc: true\nd: null\ne: ~\nf: -1\n", "{\"a\":1,\"b\":[1,2]}\n",
      "a: [\n  b,\n  c\n]\n", "a: b", "a:", "a\n", "- a\n- b", "a: b\n  - c\n",
      "a: b\n  c\n\n  d # e\n", "a: 'b\n\n  c'\nd: \"e\\n\n    f\"\n", "a: --b\n", "1: a\n",
      "a:\n  - b\n\n  - c\n", "---\na: b\n", "a:\n  # b\n  c: d\n # e\n  f: g\n");
  INFO(text);
  CHECK(accepts(text));
}

TEST_CASE("quoted texts of several lines are accepted") {
  const char* text = GENERATE(
      "a: [\n    \"b \\\n    -c 1 \\\n    d\n    \",\n  ]\n", "a: [\"b\n  c\", 'd\n  e']\n",
      "a: \"b\n  \"\n", "a: \"\n  b\"\n", "a: '\n  b\n  '\nc: d\n", "a: \"b\\\n\n  c\"\n",
      "a: \"b\\n\\\n  c\"\n", "a: {b: \"c\n   d\", e: f}\n", "a: \"b  \n  \\\n  c\"\n");
  INFO(text);
  CHECK(accepts(text));
}

TEST_CASE("quoted texts of several lines read the same both ways") {
  static constexpr std::string_view kPieces[] = {"a",      "b ",  " ",  "\n",   "\n  ",   "\n    ",
                                                 "\\\n  ", "\\n", "''", "\\\"", " #",     ": ",
                                                 ", ",     "- ",  "\t", "]",    "\n---\n"};
  static constexpr std::string_view kAround[][2] = {
      {"a: ", "\nb: c\n"}, {"a:\n  - ", "\n  - b\n"}, {"a: [", ", b]\n"}, {"{a: ", " , b: c}\n"},
      {"", "\n"},          {"- b: [\n  ", "]\n"},     {"a:\n  ", ": b\n"}};
  std::minstd_rand random(1);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string_view quote = random() % 3 == 0 ? "'" : "\"";
    std::string inner;
    for (auto left = random() % 9; left != 0; --left) {
      inner += kPieces[random() % std::size(kPieces)];
    }
    const auto& around = kAround[random() % std::size(kAround)];
    const std::string text =
        std::string(around[0]).append(quote).append(inner).append(quote).append(around[1]);
    if (accepts(text)) ++accepted;
  }
  CHECK(accepted > 5'000);
}

TEST_CASE("a byte order mark is left to yaml-cpp") {
  check_both_ways(
      "\xef\xbb\xbf"
      "a: |\n  b\n");
}

TEST_CASE("our own files are read the same both ways, and nearly all by the fast reader") {
  std::size_t accepted = 0;
  const std::vector<fs::path> files = own_files();
  for (const fs::path& path : files) {
    INFO(path.string());
    const std::string text = read_file(path);
    check_both_ways(text);
    if (readings::accepted(text, Ambiguity::Kubernetes)) ++accepted;
  }
  INFO(accepted << " of " << files.size());
  CHECK(accepted > files.size() * 8 / 10);
}

TEST_CASE("changed files are read the same both ways") {
  std::minstd_rand random(1);
  for (const fs::path& path : own_files()) {
    const std::string text = read_file(path);
    if (text.size() > 20'000) continue;
    INFO(path.string());
    for (int i = 0; i < 6; ++i) check_both_ways(mutated(mutated(text, random), random));
  }
}

TEST_CASE("custom resource definitions are read the same both ways") {
  const fs::path folder = trainyard::testing::shared_folder() / "crds";
  if (!fs::is_directory(folder)) SKIP(trainyard::testing::missing_definitions(folder));
  for (const fs::path& path : yaml_files(folder)) {
    INFO(path.string());
    check_both_ways(read_file(path));
  }
}
