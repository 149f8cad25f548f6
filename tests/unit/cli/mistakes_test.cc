// All mistakes of a spec are reported in one run, whichever stage finds them, and none is invented:
// `mistakes.yaml` has the specs, with a comment at each mistake.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

struct Case {
  std::string title;
  std::string spec;
  std::string cluster;  // "" for none
};

std::vector<Case> cases() {
  std::vector<Case> all;
  std::istringstream lines(read_file(repository() / "tests/unit/cli/mistakes.yaml"));
  std::vector<std::string> documents;
  for (std::string line; std::getline(lines, line);) {
    if (line == "---") {
      documents.emplace_back();
    } else if (!documents.empty()) {
      documents.back() += line + "\n";
    }
  }
  std::string cluster;
  std::string title;
  for (const std::string& each : documents) {
    if (each.starts_with("# ")) title = each.substr(2, each.find('\n') - 2);
    if (each.find("kind: Cluster\n") != std::string::npos) {
      cluster = each;
      continue;
    }
    all.push_back({title, each, cluster});
    cluster.clear();
  }
  return all;
}

/// `spec.yaml:7 unknown-field` of each comment `# ! unknown-field`.
void add_wanted(const std::string& name, const std::string& text, std::vector<std::string>& all) {
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t at = line.find("# ! ");
    if (at == std::string::npos) continue;
    all.push_back(name + ":" + std::to_string(number) + " " + line.substr(at + 4));
  }
}

/// The same for each report that is no note.
std::vector<std::string> told(const std::string& err) {
  std::vector<std::string> all;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    const bool is_finding = line.find(": error: ") != std::string::npos ||
                            line.find(": warning: ") != std::string::npos;
    if (!is_finding || !line.ends_with(']')) continue;
    const std::size_t column = line.find(':', line.find(':') + 1);
    const std::size_t kind = line.rfind('[') + 1;
    all.push_back(line.substr(0, column) + " " + line.substr(kind, line.size() - kind - 1));
  }
  return all;
}

}  // namespace

TEST_CASE("mistakes of several stages are reported in one run, and none is invented") {
  const std::vector<Case> all = cases();
  CHECK(all.size() >= 30);
  for (const Case& each : all) {
    Caller call;
    call.files.files["spec.yaml"] = each.spec;
    std::vector<std::string> arguments{"build", "spec.yaml"};
    std::vector<std::string> wanted;
    add_wanted("spec.yaml", each.spec, wanted);
    if (!each.cluster.empty()) {
      call.files.files["cluster.yaml"] = each.cluster;
      arguments.insert(arguments.end(), {"--cluster", "cluster.yaml"});
      add_wanted("cluster.yaml", each.cluster, wanted);
    }
    const Called called = call(arguments);
    std::vector<std::string> found = told(called.err);
    std::ranges::sort(wanted);
    std::ranges::sort(found);
    INFO(each.title << "\n" << called.err);
    CHECK(found == wanted);
    CHECK(called.out.empty());
  }
}
