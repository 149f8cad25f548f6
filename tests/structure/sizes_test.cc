// A file has at most 500 lines and a function at most 60, so that each can be read at once. What is
// longer has a reason here, or is to be split.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "file_text.h"
#include "folders.h"
#include "structure/code_sizes.h"

using trainyard::structure::Function;
using trainyard::structure::functions_of;
using trainyard::structure::lines_of;

namespace fs = std::filesystem;

namespace {

constexpr int kLongestFile = 500;
constexpr int kLongestFunction = 60;

using Reasons = std::map<std::string, std::string>;

constexpr const char* kToSplit = "to be split";

const Reasons kLongFiles = {
    {"plan/fields.cc", "one table: a row for each field of the plan"},
    {"convert/command.cc", kToSplit},
    {"diag/credentials.cc", kToSplit},
    {"lints/launch/host_names.cc", kToSplit},
    {"lints/launch/processes.cc", kToSplit},
    {"lints/launch/ranks.cc", kToSplit},
};

const Reasons kLongFunctions = {
    {"cel/evaluate.cc: Evaluator::dispatch", "one switch: a line for each kind of expression"},
    {"cel/type_check.cc: TypeChecker::of", "one switch: a case for each kind of expression"},
    {"diag/report_schema.cc: report_schema", "one literal: the schema of our own reports"},
    {"driver/status/status_schema.cc: job_status_schema",
     "one literal: the schema of our own reports"},
    {"lints/launch/host_names.cc: in_job_set", kToSplit},
    {"target/decode_target.cc: facts", "one table: a row for each fact of a target"},
};

std::set<std::string> without_reasons(const std::map<std::string, int>& sizes, int longest,
                                      const Reasons& reasons) {
  std::set<std::string> wrong;
  for (const auto& [what, lines] : sizes) {
    if (lines <= longest || reasons.contains(what)) continue;
    wrong.insert(what + ": " + std::to_string(lines) + " lines, at most " +
                 std::to_string(longest));
  }
  for (const auto& [what, reason] : reasons) {
    const auto found = sizes.find(what);
    if (found == sizes.end()) wrong.insert(what + ": has a reason, and is not there");
    if (found != sizes.end() && found->second <= longest) {
      wrong.insert(what + ": has a reason, and needs none");
    }
    if (reason.empty()) wrong.insert(what + ": has an empty reason");
  }
  return wrong;
}

std::string text_of(const std::set<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

struct Sizes {
  std::map<std::string, int> files;
  std::map<std::string, int> functions;
};

Sizes sizes_of_the_compiler() {
  const fs::path compiler = trainyard::testing::repository() / "compiler";
  Sizes sizes;
  for (const auto& entry : fs::recursive_directory_iterator(compiler)) {
    const fs::path path = entry.path();
    if (path.extension() != ".cc" && path.extension() != ".h") continue;
    const std::string name = fs::relative(path, compiler).generic_string();
    const std::string text = trainyard::testing::read_file(path);
    sizes.files[name] = lines_of(text);
    for (const Function& each : functions_of(text)) {
      int& lines = sizes.functions[name + ": " + each.name];
      lines = std::max(lines, each.lines);
    }
  }
  return sizes;
}

std::string shown(const std::string& source) {
  std::string text;
  for (const Function& each : functions_of(source)) {
    text += each.name + " " + std::to_string(each.line) + " " + std::to_string(each.lines) + "; ";
  }
  return text;
}

}  // namespace

TEST_CASE("a function is found by its braces, with its lines") {
  CHECK(shown("int f(int a) {\n  return a;\n}\n") == "f 1 3; ");
  CHECK(shown("namespace a {\n\nvoid A::g(\n    int a) const {\n  if (a) {\n  }\n}\n}\n") ==
        "A::g 3 5; ");
  CHECK(shown("class A {\n public:\n  A() : a_{1} {\n  }\n  int b = {};\n  int c() { return 1; "
              "}\n};") == "A 3 2; c 6 1; ");
  CHECK(shown("template <class T>\nT f(T a = {}) {\n}\n") == "f 1 3; ");
  CHECK(shown("bool operator==(A a, B b) {\n}\n") == "operator== 1 2; ");
}

TEST_CASE("braces in texts and comments do not count") {
  CHECK(shown("// {\nint f() {\n  g(\"}\", '}', R\"x(}\n)x\");  // }\n  return 1'000;\n}\n") ==
        "f 2 5; ");
  CHECK(shown("#define A(x) \\\n  {\nint f() {\n}\n") == "f 3 2; ");
}

TEST_CASE("a table is no function, but a lambda in it is one") {
  CHECK(shown("constexpr A k[] = {\n    {1, 2},\n};\nconstexpr auto l = std::to_array<A>({\n  "
              "  {3},\n});\n") == "");
  CHECK(shown("constexpr A k[] = {\n    {1, [](B b) {\n       return b;\n     }},\n};\n") ==
        "lambda 2 3; ");
  CHECK(shown("int f() {\n  constexpr A k[] = {\n      1,\n  };\n  return 1;\n}\n") == "f 1 3; ");
}

TEST_CASE("what is too long is named, and so is a reason that is not needed") {
  CHECK(text_of(without_reasons({{"a", 11}, {"b", 10}, {"c", 12}}, 10, {{"c", "a table"}})) ==
        "a: 11 lines, at most 10\n");
  CHECK(text_of(without_reasons({{"a", 10}, {"b", 11}}, 10,
                                {{"a", "long"}, {"b", ""}, {"c", "long"}})) ==
        "a: has a reason, and needs none\nb: has an empty reason\nc: has a reason, and is not "
        "there\n");
}

TEST_CASE("no file is longer than 500 lines, and no function longer than 60") {
  const Sizes sizes = sizes_of_the_compiler();
  CHECK(sizes.files.size() > 500);
  CHECK(sizes.functions.size() > 4000);
  CHECK(text_of(without_reasons(sizes.files, kLongestFile, kLongFiles)) == "");
  CHECK(text_of(without_reasons(sizes.functions, kLongestFunction, kLongFunctions)) == "");
}
