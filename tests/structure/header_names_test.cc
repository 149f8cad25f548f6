// The name of a header says what it holds, without its folder: no two headers have the same name.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "folders.h"

namespace fs = std::filesystem;

namespace {

using Reasons = std::map<std::string, std::string>;

/// What is wrong with the names of these headers, a line each. `excused` are names that may occur
/// in several folders, each with the reason.
std::string wrong_names(const std::vector<fs::path>& headers, const Reasons& excused) {
  std::map<std::string, std::set<std::string>> folders;
  for (const fs::path& each : headers) {
    folders[each.filename().string()].insert(each.parent_path().generic_string());
  }
  std::string wrong;
  for (const auto& [name, where] : folders) {
    if (where.size() < 2 || excused.contains(name)) continue;
    wrong += name + ": in";
    for (const std::string& folder : where) wrong += " " + folder;
    wrong += '\n';
  }
  for (const auto& [name, reason] : excused) {
    const auto found = folders.find(name);
    const bool needed = found != folders.end() && found->second.size() > 1;
    if (!needed) wrong += name + ": excused, but it occurs once at most\n";
    if (reason.empty()) wrong += name + ": excused without a reason\n";
  }
  return wrong;
}

std::vector<fs::path> headers_of_the_compiler() {
  const fs::path compiler = trainyard::testing::repository() / "compiler";
  std::vector<fs::path> result;
  for (const auto& entry : fs::recursive_directory_iterator(compiler)) {
    if (entry.path().extension() == ".h") result.push_back(fs::relative(entry.path(), compiler));
  }
  return result;
}

}  // namespace

TEST_CASE("a header name in two folders is found, unless it has a reason") {
  CHECK(wrong_names({"a/x.h", "b/x.h", "b/y.h"}, {}) == "x.h: in a b\n");
  CHECK(wrong_names({"a/x.h", "b/c/x.h"}, {{"x.h", "the same in each"}}) == "");
  CHECK(wrong_names({"a/x.h", "b/x.h"}, {{"x.h", ""}}) == "x.h: excused without a reason\n");
  CHECK(wrong_names({"a/x.h"}, {{"x.h", "the same in each"}}) ==
        "x.h: excused, but it occurs once at most\n");
}

TEST_CASE("no two headers have the same name") {
  const std::vector<fs::path> headers = headers_of_the_compiler();
  CHECK(headers.size() > 100);
  CHECK(wrong_names(headers,
                    {{"tables.h", "in each folder of checks: its list of their tables"}}) == "");
}
