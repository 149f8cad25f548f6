#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "golden/coverage.h"
#include "golden/first_lines.h"
#include "golden/layout.h"
#include "golden/runner.h"

namespace {

int report(const std::string& name, const std::string& wrong) {
  if (!wrong.empty()) std::fprintf(stderr, "%s\n%s", name.c_str(), wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

int run(const char* program, const char* repository, const char* directory) {
  const char* wanted = std::getenv("TRAINYARD_UPDATE_GOLDEN");
  const bool update = wanted != nullptr && std::string_view(wanted) == "1";
  const auto [name, wrong, rewritten] =
      trainyard::golden::run_case(program, directory, repository, update);
  if (!wrong.empty() && !update) {
    std::fputs("scripts/update-golden writes what is seen now; read its diff.\n", stderr);
  }
  if (rewritten) std::printf("changed: %s\n", name.c_str());  // scripts/update-golden reads this
  return report(directory, wrong);
}

int usage() {
  std::fputs(
      "usage: golden_runner PROGRAM REPOSITORY CASE-DIRECTORY\n"
      "       golden_runner --layout GOLDEN-DIRECTORY\n"
      "       golden_runner --first-lines GOLDEN-DIRECTORY\n"
      "       golden_runner --coverage GOLDEN-DIRECTORY\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc == 3 && first == "--layout") {
    return report(argv[2], trainyard::golden::check_layout(argv[2]));
  }
  if (argc == 3 && first == "--first-lines") {
    return report(argv[2], trainyard::golden::check_first_lines(argv[2]));
  }
  if (argc == 3 && first == "--coverage") {
    return report(argv[2], trainyard::golden::check_coverage(argv[2]));
  }
  return argc == 4 ? run(argv[1], argv[2], argv[3]) : usage();
} catch (const std::exception& error) {
  std::fprintf(stderr, "golden_runner: %s\n", error.what());
  return 1;
}
