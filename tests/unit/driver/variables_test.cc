// Kubernetes expands `$(NAME)` only from variables that stand further up.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "unit/driver/compiler.h"

using namespace trainyard::testing;

namespace {

/// The names in the list of variables, each followed by a blank, from `first` on.
std::string names(const std::string& env, const std::string& first) {
  const std::string spec =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\n"
      "spec:\n  image: i:1\n  framework: none\n  gpusPerNode: 0\n  run: {command: [x]}\n  env: " +
      env + "\n";
  const Built built = build_files({{"a.yaml", spec}}, {"a.yaml"});
  CHECK(built.errors == 0);
  std::string result;
  const std::string before = "        - name: ";
  for (std::size_t at = built.text.find(before + first); at != std::string::npos;
       at = built.text.find(before, at)) {
    at += before.size();
    result += built.text.substr(at, built.text.find('\n', at) - at) + " ";
  }
  return result;
}

}  // namespace

TEST_CASE("variables come by name, each after those it mentions") {
  CHECK(names("{C: '1', A: '2', B: '3'}", "A") == "A B C ");
  CHECK(names("{A: $(C), B: '1', C: $(D)x, D: '1'}", "D") == "D C A B ");
  CHECK(names("{A: a$(B)b$(C), B: '1', C: '2'}", "B") == "B C A ");
}

TEST_CASE("an escaped or unknown mention changes nothing") {
  CHECK(names("{A: $$(B), B: '1'}", "A") == "A B ");
  CHECK(names("{A: $(ELSEWHERE), B: '1'}", "A") == "A B ");
  CHECK(names("{A: $(B, B: '1'}", "A") == "A B ");
  CHECK(names("{A: $$$(B), B: '1'}", "B") == "B A ");
}

TEST_CASE("variables that mention each other in a circle all come out") {
  CHECK(names("{A: $(B), B: $(A)}", "B") == "B A ");
  CHECK(names("{A: $(A)}", "A") == "A ");
}

TEST_CASE("thousands of variables that mention each other are put in order") {
  std::string chain = "{A9000: '1'";
  std::string expected = "A9000 ";
  for (int i = 8999; i >= 1000; --i) {
    const std::string name = "A" + std::to_string(i);
    chain += ", " + name + ": $(A" + std::to_string(i + 1) + ")";
    expected += name + " ";
  }
  CHECK(names(chain + "}", "A9000") == expected);
}

TEST_CASE("a value of many broken mentions is taken as it is") {
  std::string value;
  for (int i = 0; i < 20'000; ++i) value += "$(";
  CHECK(names("{A: '" + value + ")', B: '1'}", "A") == "A B ");
}
