#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "rules/rule.h"

using namespace trainyard;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// The same field, or one within the other: `role.nodes` and `role`.
bool overlap(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

bool is_of_the_plan(const std::string& field) {
  return field.starts_with("plan.") || field.starts_with("role.");
}

std::string file_of(const Rule& rule) {
  std::string name(rule.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name + ".cc";
}

}  // namespace

TEST_CASE("no rule reads what a later one sets") {
  std::string wrong;
  const auto rules = all_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto own = words_of(rules[i]->writes);
    for (const std::string& read : words_of(rules[i]->reads)) {
      // Several rules add to one affinity, each its own terms.
      const auto adds_to = [&](const std::string& field) { return overlap(read, field); };
      if (std::any_of(own.begin(), own.end(), adds_to)) continue;
      for (std::size_t later = i + 1; later < rules.size(); ++later) {
        for (const std::string& set : words_of(rules[later]->writes)) {
          if (!overlap(read, set)) continue;
          wrong += std::string(rules[i]->name) + " reads " + read + ", which " +
                   std::string(rules[later]->name) + " sets\n";
        }
      }
    }
  }
  CHECK(wrong == "");
}

TEST_CASE(
    "a rule sets fields of the plan, a check sets nothing, and nothing is set behind a check") {
  bool checking = false;
  for (const Rule* rule : all_rules()) {
    INFO(rule->name);
    const auto writes = words_of(rule->writes);
    CHECK((rule->phase == Rule::Phase::Check) == writes.empty());
    CHECK(std::all_of(writes.begin(), writes.end(), is_of_the_plan));
    CHECK_FALSE(words_of(rule->reads).empty());
    // The limits of the target come first, so that their errors explain all others.
    if (rule->name == "target-limits") continue;
    if (checking) CHECK(rule->phase == Rule::Phase::Check);
    checking = checking || rule->phase == Rule::Phase::Check;
  }
}

TEST_CASE("a rule is a file of its name, and says in sentences what and why") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(TRAINYARD_SOURCE_DIR) / "compiler/rules";
  std::set<std::string> names;
  for (const Rule* rule : all_rules()) {
    INFO(rule->name);
    CHECK(names.emplace(rule->name).second);
    CHECK(find_rule(rule->name) == rule);
    CHECK(fs::exists(folder / file_of(*rule)));
    CHECK(rule->sentence.ends_with('.'));
    CHECK(rule->because.ends_with('.'));
  }
  CHECK(names.size() > 20);
  CHECK(find_rule("no-such-rule") == nullptr);
}

TEST_CASE(
    "every rule is shown by a golden case of its own, and one that sets something by a success") {
  namespace fs = std::filesystem;
  std::vector<std::string> cases;
  for (const auto& entry : fs::directory_iterator(fs::path(TRAINYARD_SOURCE_DIR) / "golden")) {
    cases.push_back(entry.path().filename().string());
  }
  REQUIRE(cases.size() > 500);
  const auto is_of = [](const std::string& dir, std::string_view name) {
    return dir == name || dir.starts_with(std::string(name) + "-");
  };
  for (const Rule* rule : all_rules()) {
    // `data-transfer-s3` is a case of `data-transfer` and not of `data`.
    const auto is_own = [&](const std::string& dir) {
      return is_of(dir, rule->name) && std::ranges::none_of(all_rules(), [&](const Rule* other) {
               return other->name.size() > rule->name.size() && is_of(dir, other->name);
             });
    };
    const bool succeeds = std::ranges::any_of(cases, is_own);
    const bool fails = std::ranges::any_of(cases, [&](const std::string& dir) {
      return dir.starts_with("fail-") && is_own(dir.substr(5));
    });
    INFO(rule->name);
    CHECK((succeeds || fails));
    const bool sets = rule->phase == Rule::Phase::Infer && rule->name != "target-limits";
    if (sets) CHECK(succeeds);
  }
}
