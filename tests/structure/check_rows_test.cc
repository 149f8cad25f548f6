// Each row of a check names its group: one that does not would silently be in the first.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"

namespace fs = std::filesystem;

namespace {

/// Names of the checks of a file whose row does not go on with `.group`.
std::vector<std::string> without_group(const std::string& text) {
  const std::string row = "\n    {.name = \"";
  std::vector<std::string> found;
  std::size_t at = text.find("Check kChecks[] = {");
  while (at != std::string::npos) {
    at = text.find(row, at);
    if (at == std::string::npos) break;
    at += row.size();
    const std::size_t end = text.find("\",", at);
    const std::size_t next = text.find_first_not_of(" \n", end + 2);
    if (text.compare(next, 7, ".group ") != 0) found.push_back(text.substr(at, end - at));
  }
  return found;
}

}  // namespace

TEST_CASE("a check without a group is found") {
  CHECK(without_group(
            "constexpr Check kChecks[] = {\n    {.name = \"a\",\n     .on = \"any\"},\n};") ==
        std::vector<std::string>{"a"});
  CHECK(
      without_group("Check kChecks[] = {\n    {.name = \"a\",\n     .group = X::Y},\n};").empty());
}

TEST_CASE("each row of a check names its group") {
  std::size_t files = 0;
  for (const char* room : {"admission", "operators", "lints"}) {
    const fs::path folder = fs::path(trainyard::testing::repository()) / "compiler" / room;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cc") continue;
      const std::string text = trainyard::testing::read_file(entry.path());
      files += text.find("Check kChecks[] = {") == std::string::npos ? 0U : 1U;
      INFO(entry.path());
      CHECK(without_group(text) == std::vector<std::string>{});
    }
  }
  CHECK(files > 100);
}
