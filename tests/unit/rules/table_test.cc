// The table of rules keeps its promises: rules are well named, say what they read and set, and none
// reads what a later one sets.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "folders.h"
#include "golden_cases.h"
#include "plan/fields.h"
#include "rules/rule.h"
#include "spec/cluster.h"
#include "spec/field_table.h"
#include "spec/machine.h"
#include "spec/training_job.h"
#include "unit/rules/rule_words.h"

namespace fs = std::filesystem;

using namespace trainyard;
using trainyard::testing::overlaps;
using trainyard::testing::rule_of_case;
using trainyard::testing::words_in;

namespace {

const fs::path kRoot = testing::repository();

std::string file_of(const Rule& rule) {
  std::string name(rule.name);
  std::ranges::replace(name, '-', '_');
  return name + ".cc";
}

bool is_kebab_case(std::string_view name) {
  const auto good = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), good) && name.front() != '-' &&
         name.back() != '-' && name.find("--") == std::string_view::npos;
}

/// Whether a dotted path leads to a field of a document, or to a group of fields.
bool is_field(const FieldTable* table, std::string_view path) {
  while (!path.empty()) {
    if (table == nullptr) return false;
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, dot);
    const auto row = std::find_if(table->fields.begin(), table->fields.end(),
                                  [&](const FieldRow& field) { return field.name == step; });
    if (row == table->fields.end()) return false;
    table = row->group == nullptr ? nullptr : &row->group();
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return true;
}

const FieldTable* group_of(const FieldTable& table, std::string_view name) {
  for (const FieldRow& row : table.fields) {
    if (row.name == name) return &row.group();
  }
  return nullptr;
}

/// Whether the plan has a field or a list of this path, or fields below it.
bool is_plan_path(const std::string& path) {
  if (find_plan_field(path) != nullptr || find_plan_loop(path) != nullptr) return true;
  return std::ranges::any_of(
      plan_fields(), [&](const PlanField& field) { return field.path.starts_with(path + "."); });
}

/// What the rules work with beside the plan: the nodes that a role lands on.
const std::set<std::string, std::less<>> kBesideThePlan = {"role.nodes", "role.rankVariables"};

/// What a target says of itself, as its `target.yaml` has it.
const std::set<std::string, std::less<>> kTargetFacts = {
    "target.containerName", "target.names",
    "target.data",          "target.rendezvous",
    "target.kubernetes",    "target.cannot",
    "target.notYet",        "target.roles",
    "target.injects",       "target.failures",
    "target.queueing",      "target.launch",
    "target.nodes",         "target.project",
    "target.pod",           "target.security",
    "target.mpirun",        "target.entrypoint",
    "target.operatorSince", "target.exclusiveTopology",
    "target.runtimes",      "target.cannotByReference",
    "target.operator",      "target.runtimeKind",
    "target.serves",        "target.lacking",
    "target.programs"};

bool exists(const std::string& name) {
  const FieldTable& job = training_job_fields();
  if (name == "machine" || name == "fabric" || name == "spec") return true;
  const std::string rest = name.substr(name.find('.') + 1);
  if (name.starts_with("spec.metadata.")) return is_field(&job, rest);
  if (name.starts_with("spec.")) return is_field(group_of(job, "spec"), rest);
  if (name.starts_with("cluster.metadata.")) return is_field(&cluster_fields(), rest);
  if (name.starts_with("cluster.")) return is_field(group_of(cluster_fields(), "spec"), rest);
  if (name.starts_with("machine.")) {
    const FieldTable* catalogue = group_of(machine_catalogue_fields(), "spec");
    return is_field(group_of(*catalogue, "machines"), rest);
  }
  if (name.starts_with("target.")) return kTargetFacts.contains(name);
  if (kBesideThePlan.contains(name)) return true;
  if (name.starts_with("plan.")) return is_plan_path("job." + rest) || is_plan_path(rest);
  return name.starts_with("role.") && is_plan_path(name);
}

/// What several rules add their own parts to, so that one of them reads what a later one sets.
bool is_shared(std::string_view rule, std::string_view field) {
  // Data is never in the directory for shared memory, unless that is mounted by the job itself.
  if (rule == "shared-memory") return field == "role.mounts" || field == "role.volumes";
  // Affinity to nodes, to pods and anti-affinity are different parts of it.
  if (rule == "spot" || rule == "gpu-memory" || rule == "one-pod-per-node" || rule == "packing") {
    return field == "role.affinity";
  }
  // A system with a workspace moves the data itself, and no mpirun starts a service.
  if (rule == "workspace") return field == "role.mounts" || field == "role.volumes";
  if (rule == "serve") return field == "role.env";
  // What a fabric puts around a program is inside of what mpirun and Ray start.
  return rule == "network" && (field == "role.command" || field == "role.env");
}

}  // namespace

TEST_CASE(
    "rules have unique names in kebab-case, are found by them, and each is a file of its name") {
  std::set<std::string_view> names;
  for (const Rule* rule : all_rules()) {
    INFO(rule->name);
    CHECK(is_kebab_case(rule->name));
    CHECK(names.insert(rule->name).second);
    CHECK(find_rule(rule->name) == rule);
    CHECK(rule->run != nullptr);
    CHECK(fs::exists(kRoot / "compiler/rules" / file_of(*rule)));
  }
  CHECK(names.size() > 30);
  CHECK(find_rule("no-such-rule") == nullptr);
}

TEST_CASE("rules say in sentences what they make sure of and why") {
  for (const Rule* rule : all_rules()) {
    INFO(rule->name);
    CHECK(rule->sentence.ends_with('.'));
    CHECK(rule->because.ends_with('.'));
    CHECK_FALSE(rule->reads.empty());
  }
}

TEST_CASE("every field that a rule names exists") {
  for (const Rule* rule : all_rules()) {
    for (std::string_view list : {rule->reads, rule->writes}) {
      for (const std::string& name : words_in(list)) {
        INFO(rule->name << " " << name);
        CHECK(exists(name));
      }
    }
  }
  CHECK_FALSE(exists("spec.nodess"));
  CHECK_FALSE(exists("cluster.defaults.nodes"));
  CHECK_FALSE(exists("plan.nothing"));
  CHECK_FALSE(exists("role.nothing"));
}

TEST_CASE(
    "rules that check set nothing and come last, and the others set something, in the plan only") {
  bool checking = false;
  for (const Rule* rule : all_rules()) {
    INFO(rule->name);
    // The limits of the target come first, so that their errors explain all others.
    if (checking) CHECK(rule->phase == Rule::Phase::Check);
    checking = checking || (rule->phase == Rule::Phase::Check && rule->name != "target-limits");
    CHECK(rule->writes.empty() == (rule->phase == Rule::Phase::Check));
    for (const std::string& name : words_in(rule->writes)) {
      CHECK((name.starts_with("plan.") || name.starts_with("role.")));
    }
  }
}

TEST_CASE("no rule reads what a later rule sets") {
  const auto rules = all_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (const std::string& read : words_in(rules[i]->reads)) {
      for (std::size_t later = i + 1; later < rules.size(); ++later) {
        for (const std::string& set : words_in(rules[later]->writes)) {
          INFO(rules[i]->name << " reads " << read << ", " << rules[later]->name << " sets "
                              << set);
          CHECK((!overlaps(read, set) || is_shared(rules[i]->name, read)));
        }
      }
    }
  }
}

TEST_CASE("what a rule reads of the plan, one before it has set") {
  std::vector<std::string> known;
  for (const Rule* rule : all_rules()) {
    for (const std::string& read : words_in(rule->reads)) {
      if (!read.starts_with("plan.") && !read.starts_with("role.")) continue;
      const bool found =
          std::ranges::any_of(known, [&](const std::string& set) { return overlaps(read, set); });
      INFO(rule->name << " reads " << read);
      CHECK(found);
    }
    for (std::string& name : words_in(rule->writes)) known.push_back(std::move(name));
  }
}

TEST_CASE("a golden case is of the rule that it, alone or behind its folders, is named after") {
  CHECK(rule_of_case("target/jobset/kueue") == nullptr);
  CHECK(rule_of_case("fail/text/empty") == nullptr);
  CHECK(rule_of_case("resources/gpu-share-kai") == find_rule("gpu-share"));
  CHECK(rule_of_case("scheduling/nodes/spot") == find_rule("spot"));
  CHECK(rule_of_case("data/transfer-s3") == find_rule("data-transfer"));
  CHECK(rule_of_case("fail/data/place") == find_rule("data"));
  CHECK(rule_of_case("launch/line/torchrun") == find_rule("launch-line"));
}

TEST_CASE(
    "every rule is shown by a golden case of its own, and one that sets something by a success") {
  std::set<const Rule*> shown;
  std::set<const Rule*> succeed;
  for (const testing::GoldenCase& each : testing::golden_cases(kRoot / "golden")) {
    shown.insert(rule_of_case(each.name));
    if (!each.fails()) succeed.insert(rule_of_case(each.name));
  }
  for (const Rule* rule : all_rules()) {
    INFO(rule->name);
    CHECK(shown.contains(rule));
    if (rule->phase == Rule::Phase::Infer) CHECK(succeed.contains(rule));
  }
}
