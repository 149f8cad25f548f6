#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "operators/jobset_parts.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "schema/patterns.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

// What a JobSet does when a job fails: its rules, and restarts in place.

namespace trainyard {
namespace {

using namespace jobset;

bool in_rule_name(char c) {
  return is_alphanumeric(c) || c == '_';
}

Fault why_not_rule_name(std::string_view text) {
  if (text.empty()) return std::nullopt;  // the webhook gives it one
  if (text.size() > 128) {
    return "has " + std::to_string(text.size()) + " characters, at most 128 are allowed";
  }
  if (!is_letter(text.front())) return "must start with a letter";
  if (!in_rule_name(text.back())) return "must end with a letter, a digit or `_`";
  if (!std::ranges::all_of(text, [](char c) { return in_rule_name(c) || c == ',' || c == ':'; })) {
    return "may hold letters, digits, `_`, `,` and `:` only";
  }
  return std::nullopt;
}

void failure_rule_names(View object, CheckContext& context) {
  std::vector<View> seen;
  std::size_t index = 0;
  std::set<std::string> given;  // to rules without a name, by their place
  for (View rule : items_at(get(spec_of(object), "failurePolicy"), "rules")) {
    const View name = get(rule, "name");
    const std::string given_name = "failurePolicyRule" + std::to_string(index++);
    if (string_of(name).empty()) {
      given.insert(given_name);
      continue;
    }
    if (const Fault fault = why_not_rule_name(name->text)) {
      context.refuse(name, "rule name " + shown(name->text) + " " + *fault);
    }
    const auto first =
        std::ranges::find_if(seen, [&](View other) { return other->text == name->text; });
    if (first != seen.end()) {
      context.refuse(name, "two rules are called " + shown(name->text))
          .also(context.place(*first), "the first one");
    }
    seen.push_back(name);
  }
  for (View name : seen) {
    if (!given.contains(std::string(name->text))) continue;
    context.refuse(name, "a rule without a name gets the name " + shown(name->text));
  }
}

void failure_rules(View object, CheckContext& context) {
  constexpr auto reasons =
      std::to_array<std::string_view>({"BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes",
                                       "MaxFailedIndexesExceeded", "PodFailurePolicy"});
  const auto names = names_of(object);
  for (View rule : items_at(get(spec_of(object), "failurePolicy"), "rules")) {
    for (View name : items_at(rule, "targetReplicatedJobs")) a_role(name, names, context);
    for (View reason : items_at(rule, "onJobFailureReasons")) {
      if (reason.kind() == Kind::String && reason->text.empty()) {
        context.refuse(reason, "an empty reason for the failure of a Job");
      }
      context.allow(reason, "reason for the failure of a Job", reasons);
    }
    for (View pattern : items_at(rule, "onJobFailureMessagePatterns")) {
      if (pattern.kind() != Kind::String) continue;
      const std::string fault = pattern_fault(pattern->text);
      if (fault.empty()) continue;
      context.warn(pattern, "this is no regular expression, so the rule never matches: " + fault);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "jobset-failure-rule-names",
     .group = CheckGroup::Training,
     .on = kWithRuntimes,
     .sentence = "Rules of the failure policy have different names of the right form.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateFailurePolicy",
     .object = failure_rule_names,
     .operators = kOperator},
    {.name = "jobset-failure-rules",
     .group = CheckGroup::Training,
     .on = kWithRuntimes,
     .sentence = "Rules of the failure policy name replicated jobs and reasons that exist.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateFailurePolicy",
     .object = failure_rules,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> jobset_failure_policy_checks = kChecks;

}  // namespace trainyard
