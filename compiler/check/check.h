#pragma once

#include <span>
#include <string>
#include <string_view>

#include "check/check_context.h"
#include "check/group.h"
#include "diag/effect.h"
#include "manifest/job.h"
#include "manifest/pod.h"
#include "manifest/workload.h"
#include "tree/tree.h"

namespace trainyard {

struct PolicyCheck;

/// One thing that the API server, or a controller behind it, wants beyond the schema; or, as a
/// lint, one that makes what is taken run wrong. A row in the table of the file of its subject. At
/// least one of the functions is set; each that is runs.
struct Check {
  std::string_view name;  // kebab-case, as users see it
  CheckGroup group;       // of one of ours
  Effect effect = Effect::Refused;
  Stage stage = Stage::Stable;
  bool opt_in = false;  // runs only if the user asks for it
  // For `object`: `any`, or groups and kinds: `core Pod; apps Deployment`.
  std::string_view on = {};
  std::string_view sentence;                             // what it makes sure of
  std::string_view source;                               // where that is written: `owner/repo path`
  void (*pod)(const Pod&, CheckContext&) = nullptr;      // for every pod template
  void (*job)(const Job&, CheckContext&) = nullptr;      // for every spec of a batch/v1 Job
  void (*object)(View object, CheckContext&) = nullptr;  // for objects of the kinds in `on`
  std::string_view since = {};  // the first Kubernetes that has it; "" for all that we know
  OperatorSpan operators = {};  // whose it is, and the releases for which it holds
  void (*workload)(const Workload&, CheckContext&) = nullptr;  // for pods that work together

  // Of a lint only.
  Severity severity = Severity::Error;
  std::string_view because = {};  // why it goes wrong
  std::string_view fix = {};      // what would be right, as an order: "give each ..."
  std::string_view rule =
      {};  // that reports the same in a spec, so that our output needs no second report

  // Of a check that the user's organisation wrote (policy/policy_checks.h).
  PolicyCheck* policy = nullptr;
  std::string_view policy_group = {};

  bool is_lint() const { return !because.empty(); }
  std::string_view group_word() const { return policy == nullptr ? word(group) : policy_group; }
  DiagnosticKind refusal() const {
    return pod != nullptr ? DiagnosticKind::RefusedPod : DiagnosticKind::RefusedObject;
  }
};

/// The rule that gives the pods of a spec what its launcher needs, and their ranks.
inline constexpr std::string_view kLaunchRule = "rendezvous-variables";

/// Every check of every object comes here, and few users ask for severities.
inline bool CheckContext::use(const Check& check) {
  check_ = &check;
  if (surroundings_.from_spec && !check.rule.empty()) {
    const bool is_open = surroundings_.own_launch && check.rule == kLaunchRule;
    if (!is_open) return false;
  }
  return !may_be_off_ || !is_turned_off(check);
}

/// The check of this name; null for none.
const Check* find_check(CheckTables tables, std::string_view name);

/// What a check is about, for people: "every pod template", "apps: Deployment, DaemonSet".
std::string subject_phrase(const Check& check);

/// Runs the checks that fit `root`, an object of a known kind. `flagged` are the places that its
/// schema has complained about already.
void run_checks(View root, std::string name, std::vector<NodeId> flagged, CheckContext& context);

}  // namespace trainyard
