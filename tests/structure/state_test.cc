// Folders that threads do not share hold no state: no variable that outlives a call, no `mutable`
// member. So nothing in them can race, and the build with the thread sanitizer takes them as the
// release has them (cmake/Folders.cmake).
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "folders.h"

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> folders_shared_by_threads() {
  const std::string text = text_of(trainyard::testing::repository() / "cmake/Folders.cmake");
  static const std::regex kList("set\\(TRAINYARD_SHARED_BY_THREADS ([a-z ]+)\\)");
  std::smatch found;
  REQUIRE(std::regex_search(text, found, kList));
  std::istringstream names(found[1]);
  return {std::istream_iterator<std::string>(names), {}};
}

/// Lines that declare what keeps a value from one call to the next, for more than one thread.
std::vector<std::string> state(const std::string& source) {
  static const std::regex kMutable("\\bmutable [A-Za-z]");
  static const std::regex kStatic(
      "^ *(inline |constinit )?static (?!const|_assert)[^()]*(=[^=]|;|\\{)");
  static const std::regex kGlobal(
      "^(inline |constinit |extern )*[A-Za-z_][\\w:<>,* ]* \\w+(\\[\\w*\\])?( =|;|\\{)");
  static const std::regex kNoVariable(
      "^(using|struct|class|enum|union|namespace|template|typedef|return|concept)\\b|\\bconst(expr)"
      "?\\b|"
      "thread_local");
  std::vector<std::string> found;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    // The expressions take long: only what stands at the margin or has one of these words can
    // match.
    const bool is_inside = line.empty() || line.front() == ' ' || line.front() == '/';
    const bool has_word = line.find("static") != line.npos || line.find("mutable") != line.npos;
    if (is_inside && !has_word) continue;
    line = std::regex_replace(line, std::regex("//.*|\"[^\"]*\""), "");
    if (std::regex_search(line, kMutable)) found.push_back(line);
    if (std::regex_search(line, kNoVariable)) continue;
    if (std::regex_search(line, kStatic) || std::regex_search(line, kGlobal)) found.push_back(line);
  }
  return found;
}

}  // namespace

TEST_CASE("state is found in whatever form it is written") {
  for (const char* line : {"  static int count = 0;", "static std::string last;", "int count;",
                           "std::map<int, int> seen;", "  static std::map<int, int> seen{};",
                           "  mutable std::size_t used_ = 0;", "inline int level = 1;",
                           "extern bool quiet;", "  static Cache* cache = nullptr;"}) {
    INFO(line);
    CHECK(state(line).size() == 1);
  }
  for (const char* line :
       {"  static const int kCount = 0;", "static std::string name(int i);", "using A = int;",
        "  static constexpr int kCount = 0;", "const std::string kName = \"static x;\";",
        "  int count = 0;", "struct A;", "constinit const std::span<const Check> checks = kChecks;",
        "thread_local int count = 0;", "// static int count;", "namespace a {",
        "}  // namespace b"}) {
    INFO(line);
    CHECK(state(line).empty());
  }
}

TEST_CASE("folders that threads do not share hold no state") {
  const std::set<std::string> shared = folders_shared_by_threads();
  const fs::path compiler = trainyard::testing::repository() / "compiler";
  std::string wrong;
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(compiler)) {
    const fs::path path = fs::relative(entry.path(), compiler);
    if (shared.contains(path.begin()->string())) continue;
    if (path.extension() != ".cc" && path.extension() != ".h") continue;
    ++files;
    for (const std::string& line : state(text_of(entry.path()))) {
      wrong += path.string() + ": " + line + "\n";
    }
  }
  CHECK(files > 100);
  INFO(wrong);
  CHECK(wrong.empty());
}
