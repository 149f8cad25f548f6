// Reads the #include lines of compiler/ against the table of who may see whom.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <sstream>

#include "file_text.h"
#include "folders.h"
#include "structure/include_rules.h"

using namespace trainyard::structure;
using trainyard::testing::read_file;

namespace fs = std::filesystem;

namespace {

const fs::path kCompiler = trainyard::testing::repository() / "compiler";

Rules rules_of_the_compiler(std::vector<std::string>& wrong) {
  Rules rules;
  rules.folders = parse_folders(read_file(kCompiler / "CMakeLists.txt"), wrong);
  rules.libraries = {
      {"yaml-cpp/", {"tree"}},
      {"CLI/", {"cli"}},
      {"nlohmann/", {"diag", "tree", "schema", "emit", "editor"}},
      {"re2/", {"schema", "admission", "operators", "cel", "diagnosis", "live"}},
      {"arpa/", {"admission"}},  // how addresses are read
      {"curl/", {"cluster"}},
      {"netinet/", {"cluster"}},  // options of sockets
  };
  rules.refused = {"iostream", "regex", "locale", "random", "chrono", "ctime", "time.h"};
  // "folder/file.cc: header" -> why this file may.
  rules.excused = {
      {"main.cc: cli/cli.h", "the program stands above all folders"},
      {"main.cc: cli/failure.h", "it says what an exception means that ended the program"},
      {"main.cc: cli/standard_files.h", "it reads and writes them"},
      {"main.cc: cli/cluster_program.h", "it becomes that program"},
      {"main.cc: cli/progress_bar.h", "it draws on the terminal that it was started on"},
      {"cluster_main.cc: cli/cli.h", "the program stands above all folders"},
      {"cluster_main.cc: cli/failure.h", "as main.cc"},
      {"cluster_main.cc: cli/standard_files.h", "as main.cc"},
      {"cluster_main.cc: cli/progress_bar.h", "as main.cc"},
      {"cluster_main.cc: live/interrupt.h", "Ctrl-C counts from the start"},
      {"cluster_main.cc: live/live_command.h", "the program stands above all folders"},
      {"cli/rehearse/pod_names.cc: arpa/inet.h", "addresses in the network of a rehearsal"},
      {"cli/rehearse/name_server.cc: arpa/inet.h", "the DNS of a rehearsal"},
      {"cli/rehearse/name_server.h: netinet/in.h", "the DNS of a rehearsal"},
      {"cli/rehearse/run_rehearsal.cc: chrono",
       "a rehearsal waits and gives up; no output depends on it"},
      {"cli/standard_files.cc: chrono",
       "a terminal shows how far a command is; no output depends on it"},
      {"cluster/http/clock.h: chrono", "a client waits and gives up; no output depends on it"},
      {"live/terminal.cc: ctime", "ages of a cluster count from now"},
  };
  return rules;
}

/// Paths below compiler/ of all sources, sorted.
Names sources() {
  Names result;
  for (const auto& entry : fs::recursive_directory_iterator(kCompiler)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cc") {
      result.insert(entry.path().lexically_relative(kCompiler).generic_string());
    }
  }
  return result;
}

/// The rows of the table in docs/architecture.md, as "folder: what it sees", in order.
std::vector<std::string> rows_of_the_document() {
  std::istringstream page(read_file(trainyard::testing::repository() / "docs/architecture.md"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    const std::size_t end = line.find("/` | ");
    if (!line.starts_with("| `") || end == std::string::npos) continue;
    if (line.find('/') != end) continue;
    const std::size_t last = line.rfind('|');
    const std::size_t sees = line.rfind('|', last - 1) + 1;
    std::string seen;
    for (const char c : line.substr(sees, last - sees)) {
      if (c != ',') seen += c;
    }
    while (seen.starts_with(' ')) seen.erase(0, 1);
    while (seen.ends_with(' ')) seen.pop_back();
    rows.push_back(line.substr(3, end - 3) + ": " + seen);
  }
  return rows;
}

/// The calls in CMakeLists.txt in the same form.
std::vector<std::string> rows_of_the_build() {
  std::istringstream file(read_file(kCompiler / "CMakeLists.txt"));
  std::vector<std::string> rows;
  std::string above;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kCall = "trainyard_folder(";
    if (!line.starts_with(kCall)) continue;
    line = line.substr(kCall.size());
    line = line.substr(0, line.find(')'));
    line = line.substr(0, line.find(" USES"));
    line = line.substr(0, line.find(" WHEN"));
    const std::string name = line.substr(0, line.find(' '));
    constexpr std::string_view kSees = " SEES ";
    const std::size_t at = line.find(kSees);
    std::string seen = at == std::string::npos ? "" : line.substr(at + kSees.size());
    while (seen.ends_with(' ')) seen.pop_back();
    const bool late = name == "driver" || name == "cli" || name == "live";
    rows.push_back(name + ": " + (late && seen == above ? "all above" : seen));
    above += (above.empty() ? "" : " ") + name;
  }
  return rows;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

TEST_CASE("every file includes only what its folder may see") {
  std::vector<std::string> wrong;
  const Rules rules = rules_of_the_compiler(wrong);
  const Names files = sources();
  REQUIRE(rules.folders.size() >= 3);
  REQUIRE(files.size() > 10);
  Names used;
  for (const std::string& file : files) {
    // A folder that has only headers so far has no library to declare.
    const std::string folder = file.substr(0, file.find('/'));
    if (!rules.folders.contains(folder) && file.ends_with(".h")) continue;
    const auto found = check_file(file, read_file(kCompiler / file), rules, used);
    wrong.insert(wrong.end(), found.begin(), found.end());
  }
  for (const auto& [excuse, reason] : rules.excused) {
    if (!used.contains(excuse)) wrong.push_back(excuse + ": excused, but not included");
    if (reason.empty()) wrong.push_back(excuse + ": excused without a reason");
  }
  CHECK(joined(wrong) == "");
}

TEST_CASE("the table in docs/architecture.md is that of compiler/CMakeLists.txt") {
  const auto rows = rows_of_the_document();
  CHECK(rows.size() > 10);
  CHECK(joined(rows) == joined(rows_of_the_build()));
}

TEST_CASE("every quoted include names a file of compiler/, and headers are guarded") {
  for (const std::string& file : sources()) {
    const std::string text = read_file(kCompiler / file);
    INFO(file);
    // The header that ships is of C, where guards are usual.
    const std::string guard =
        file == "library/trainyard.h" ? "#ifndef TRAINYARD_H\n#define" : "#pragma once\n";
    if (file.ends_with(".h")) CHECK(text.find(guard) != std::string::npos);
    for (const Include& include : includes_of(text)) {
      INFO(include.path);
      if (include.quoted) CHECK(fs::exists(kCompiler / include.path));
    }
  }
}

TEST_CASE("the table is read from the calls in CMakeLists.txt") {
  std::vector<std::string> wrong;
  const Folders folders = parse_folders(
      "# trainyard_folder(no)\ntrainyard_folder(a)\ntrainyard_folder(b SEES a\n  USES x::y)\n"
      "trainyard_folder(c USES z SEES a b)",
      wrong);
  CHECK(folders == Folders{{"a", {"a"}}, {"b", {"a", "b"}}, {"c", {"a", "b", "c"}}});
  CHECK(wrong.empty());
  parse_folders("trainyard_folder(a SEES b)\ntrainyard_folder(b)\ntrainyard_folder(b)", wrong);
  CHECK(wrong == std::vector<std::string>{"folder a sees b, which is not above it",
                                          "folder b is declared twice"});
}

TEST_CASE("each kind of forbidden include is found, with its line") {
  Rules rules;
  rules.folders = {{"a", {"a"}}, {"b", {"a", "b"}}};
  rules.libraries = {{"lib/", {"b"}}};
  rules.refused = {"iostream"};
  rules.excused = {{"b/y.cc: iostream", "prints"}};
  Names used;
  const auto check = [&](std::string_view file, std::string_view source) {
    return joined(check_file(file, source, rules, used));
  };
  CHECK(check("b/x.cc",
              "#include \"a/x.h\"\n#include \"b/x.h\"\n#include <lib/l.h>\n"
              "#include <vector>\n#include <sys/stat.h>\n// #include \"c/x.h\"\n") == "");
  CHECK(check("a/x.cc", "\n  # include \"b/x.h\"") ==
        "a/x.cc:2: b/x.h: this folder does not see b/\n");
  CHECK(check("a/x.cc", "#include <lib/l.h>\n") ==
        "a/x.cc:1: lib/l.h: this folder may not know this library\n");
  CHECK(check("a/x.cc", "#include <other/o.h>\n") ==
        "a/x.cc:1: other/o.h: no rule says who may include this\n");
  CHECK(check("a/x.cc", "#include \"x.h\"\n") ==
        "a/x.cc:1: x.h: write the folder: \"folder/file.h\"\n");
  CHECK(check("c/x.cc", "#include \"a/x.h\"\n") ==
        "c/x.cc:1: a/x.h: this folder is not declared in compiler/CMakeLists.txt\n");
  CHECK(check("b/x.cc", "#include <iostream>\n") ==
        "b/x.cc:1: iostream: not in the compiler: it is slow, global or depends on the "
        "surroundings\n");
  CHECK(check("b/y.cc", "#include <iostream>\n") == "");
  CHECK(used == Names{"b/y.cc: iostream"});
}
