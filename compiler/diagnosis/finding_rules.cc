#include "diagnosis/finding_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_diagnosis();  // made by the build from templates/diagnosis

namespace {

// In the order of FindingScope, FindingRole and Certainty.
constexpr auto kScopes = std::to_array<std::string_view>(
    {"job", "workload", "claim", "pod", "container", "event", "log"});
constexpr auto kRoles = std::to_array<std::string_view>({"root", "confirmation", "cascade"});
constexpr auto kCertainties = std::to_array<std::string_view>({"certain", "likely", "possible"});
constexpr auto kClasses = std::to_array<std::string_view>(
    {"program", "configuration", "capacity", "platform", "hardware", "unknown"});
constexpr auto kRetries = std::to_array<std::string_view>({"pointless", "sensible", "unknown"});

constexpr auto kVariables = std::to_array<std::string_view>(
    {"job", "phase", "pod", "node", "container", "status", "event", "workload", "claim",
     "scheduling", "waiting", "ended", "disrupted"});

/// The place of a word in a table; the size of the table for none.
std::size_t place_in(std::span<const std::string_view> table, std::string_view word) {
  return static_cast<std::size_t>(std::ranges::find(table, word) - table.begin());
}

std::vector<Tree> load() {
  std::vector<Tree> trees;
  for (const std::string_view name : {"containers.yaml", "pods.yaml", "jobs.yaml", "logs.yaml"}) {
    trees.push_back(embedded_tree(embedded_diagnosis(), name));
  }
  return trees;
}

}  // namespace

std::string_view name_of(FindingRole role) {
  return kRoles.at(static_cast<std::size_t>(role));
}

std::string_view name_of(Certainty certainty) {
  return kCertainties.at(static_cast<std::size_t>(certainty));
}

std::span<const std::string_view> finding_variables() {
  return kVariables;
}

const FindingRules& FindingRules::builtin() {
  static const std::vector<Tree> files = load();
  static const FindingRules rules(files);
  return rules;
}

FindingRules::FindingRules(std::span<const Tree> files) {
  for (const Tree& file : files) {
    const View list(file, file.root());
    if (!list || !list->is_seq()) {
      faults_.emplace_back("a file has no list of findings");
      continue;
    }
    for (View entry : Items(list)) add(entry);
  }
  std::set<std::string_view> ids;
  for (const FindingRule& rule : rules_) {
    if (!ids.insert(rule.id).second) faults_.push_back(std::string(rule.id) + ": is there twice");
  }
}

void FindingRules::add(View entry) {
  FindingRule rule;
  rule.id = string_at(entry, "id");
  const auto wrong = [&](std::string_view field) {
    faults_.push_back(std::string(rule.id) + ": `" + std::string(field) + "` is missing or wrong");
  };
  const auto choose = [&](std::span<const std::string_view> table, std::string_view field) {
    const std::size_t place = place_in(table, string_at(entry, field));
    if (place < table.size()) return place;
    wrong(field);
    return std::size_t{0};
  };
  if (rule.id.empty()) wrong("id");
  rule.scope = static_cast<FindingScope>(choose(kScopes, "for"));
  rule.role = static_cast<FindingRole>(choose(kRoles, "role"));
  rule.certainty = static_cast<Certainty>(choose(kCertainties, "certainty"));
  rule.cause = kClasses[choose(kClasses, "class")];
  rule.retry = kRetries[choose(kRetries, "retry")];
  rule.pattern = string_at(entry, "pattern");
  const std::string_view when = string_at(entry, "when");
  const bool of_log = rule.scope == FindingScope::Log;
  if (of_log ? rule.pattern.empty() || !when.empty() : !rule.pattern.empty() || when.empty()) {
    wrong(of_log ? "pattern" : "when");
  }
  if (!when.empty()) rule.when = program(rule.id, when);
  if (string_at(entry, "says").empty()) wrong("says");
  rule.says = text(rule.id, string_at(entry, "says"));
  rule.about = string_at(entry, "about");
  rule.source = string_at(entry, "source");
  for (View each : items_at(entry, "try")) rule.tries.push_back(string_of(each));
  rules_.push_back(std::move(rule));
}

std::optional<cel::Program> FindingRules::program(std::string_view id, std::string_view from) {
  cel::Compiled compiled = cel::compile(from, kVariables);
  if (!compiled.program) faults_.push_back(std::string(id) + ": " + compiled.error.message);
  return std::move(compiled.program);
}

FindingText FindingRules::text(std::string_view id, std::string_view from) {
  FindingText result;
  while (!from.empty()) {
    const std::size_t open = std::min(from.find('{'), from.size());
    if (open > 0) result.parts.push_back({from.substr(0, open), std::nullopt});
    from.remove_prefix(open);
    if (from.empty()) break;
    const std::size_t close = from.find('}');
    if (close == std::string_view::npos) {
      faults_.push_back(std::string(id) + ": a brace is not closed");
      break;
    }
    result.parts.push_back({{}, program(id, from.substr(1, close - 1))});
    from.remove_prefix(close + 1);
  }
  return result;
}

}  // namespace trainyard
