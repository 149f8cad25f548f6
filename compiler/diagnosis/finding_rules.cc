#include "diagnosis/finding_rules.h"

#include <re2/re2.h>

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
    {"job", "phase", "pod", "node", "container", "status", "event", "workload", "queues",
     "meantQueue", "claim", "scheduling", "waiting", "ended", "disrupted"});

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

std::span<const Tree> FindingRules::builtin_files() {
  static const std::vector<Tree> files = load();
  return files;
}

const FindingRules& FindingRules::builtin() {
  static const FindingRules rules(builtin_files());
  return rules;
}

FindingRules::FindingRules(std::span<const Tree> files, std::span<const Tree> behind) {
  for (const Tree& file : files) add_all(file);
  std::set<std::string_view> ids;
  for (const FindingRule& rule : rules_) {
    if (!ids.insert(rule.id).second) fault({}, rule.id, "is there twice");
  }
  for (const Tree& file : behind) {
    for (View entry : Items(View(file, file.root()))) {
      if (!ids.contains(string_at(entry, "id"))) add(entry);
    }
  }
}

void FindingRules::fault(View at, std::string_view id, std::string_view what) {
  faults_.push_back({at, "finding `" + std::string(id) + "`: " + std::string(what)});
}

void FindingRules::add_all(const Tree& file) {
  const View list(file, file.root());
  if (!list || !list->is_seq()) {
    faults_.push_back({list, "the file has no list of findings"});
    return;
  }
  for (View entry : Items(list)) add(entry);
}

void FindingRules::add(View entry) {
  FindingRule rule;
  rule.id = string_at(entry, "id");
  const auto wrong = [&](std::string_view field, std::span<const std::string_view> table = {}) {
    std::string what = "`" + std::string(field) + "` is missing or wrong";
    for (std::string_view each : table) {
      what += (each == table.front() ? "; it is one of `" : "`, `") + std::string(each);
    }
    fault(get(entry, field) ? get(entry, field) : entry, rule.id,
          what + (table.empty() ? "" : "`"));
  };
  const auto choose = [&](std::span<const std::string_view> table, std::string_view field) {
    const std::size_t place = place_in(table, string_at(entry, field));
    if (place < table.size()) return place;
    wrong(field, table);
    return std::size_t{0};
  };
  if (rule.id.empty()) wrong("id");
  rule.scope = static_cast<FindingScope>(choose(kScopes, "for"));
  rule.role = static_cast<FindingRole>(choose(kRoles, "role"));
  rule.certainty = static_cast<Certainty>(choose(kCertainties, "certainty"));
  rule.cause = kClasses[choose(kClasses, "class")];
  rule.retry = kRetries[choose(kRetries, "retry")];
  rule.pattern = string_at(entry, "pattern");
  if (!rule.pattern.empty() && !RE2(std::string(rule.pattern), RE2::Quiet).ok()) wrong("pattern");
  const std::string_view when = string_at(entry, "when");
  const bool of_log = rule.scope == FindingScope::Log;
  if (of_log ? rule.pattern.empty() || !when.empty() : !rule.pattern.empty() || when.empty()) {
    wrong(of_log ? "pattern" : "when");
  }
  if (!when.empty()) rule.when = program(rule.id, get(entry, "when"), when);
  if (string_at(entry, "says").empty()) wrong("says");
  rule.says = text(rule.id, get(entry, "says"));
  rule.about = string_at(entry, "about");
  rule.source = string_at(entry, "source");
  for (View each : items_at(entry, "try")) rule.tries.push_back(string_of(each));
  rule.edit = edit(rule.id, get(entry, "edit"));
  rules_.push_back(std::move(rule));
}

FindingEdit FindingRules::edit(std::string_view id, View at) {
  FindingEdit edit;
  if (!at) return edit;
  edit.field = string_at(at, "field");
  if (!edit.field.starts_with("spec."))
    fault(at, id, "`edit.field` is a field of a spec, `spec.…`");
  const std::string_view value = string_at(at, "value");
  if (value.empty() && !get(at, "times")) fault(at, id, "`edit` has neither `value` nor `times`");
  if (!value.empty()) edit.value = program(id, get(at, "value"), value);
  if (const View times = get(at, "times")) {
    edit.times = integer_of(times).value_or(0);
    if (edit.times < 2) fault(times, id, "`edit.times` is a whole number above 1");
  }
  return edit;
}

std::optional<cel::Program> FindingRules::program(std::string_view id, View at,
                                                  std::string_view from) {
  cel::Compiled compiled = cel::compile(from, kVariables);
  if (!compiled.program) fault(at, id, compiled.error.message);
  return std::move(compiled.program);
}

FindingText FindingRules::text(std::string_view id, View at) {
  FindingText result;
  std::string_view from = string_of(at);
  while (!from.empty()) {
    const std::size_t open = std::min(from.find('{'), from.size());
    if (open > 0) result.parts.push_back({from.substr(0, open), std::nullopt});
    from.remove_prefix(open);
    if (from.empty()) break;
    const std::size_t close = from.find('}');
    if (close == std::string_view::npos) {
      fault(at, id, "a brace is not closed");
      break;
    }
    result.parts.push_back({{}, program(id, at, from.substr(1, close - 1))});
    from.remove_prefix(close + 1);
  }
  return result;
}

}  // namespace trainyard
