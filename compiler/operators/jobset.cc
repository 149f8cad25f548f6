// What the webhooks of JobSet refuse, and what its controller can make no pods of. Read with what
// its defaulting webhook and the schema fill in: Indexed Jobs, one replica, group `default`. A
// training runtime holds the spec of the JobSet that is made for each TrainJob, and is checked too.
// Lengths of names are in operators/derived_names.cc.

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "schema/patterns.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
constexpr std::string_view kNodeSelector = "alpha.jobset.sigs.k8s.io/node-selector";

bool is_jobset(View object) {
  return string_at(object, "kind") == "JobSet";
}
/// The spec of a JobSet, or of the one that a training runtime makes for each TrainJob.
View spec_of(View object) {
  const View spec = get(object, "spec");
  return is_jobset(object) ? spec : get(get(spec, "template"), "spec");
}
Items roles_of(View object) {
  return items_at(spec_of(object), "replicatedJobs");
}
View job_spec(View role) {
  return get(get(role, "template"), "spec");
}
View pod_spec(View role) {
  return get(get(job_spec(role), "template"), "spec");
}
bool is_indexed(View role) {
  const std::string_view mode = string_at(job_spec(role), "completionMode");
  return mode.empty() || mode == "Indexed";
}

std::vector<std::string_view> names_of(View object) {
  std::vector<std::string_view> names;
  for (View role : roles_of(object)) names.push_back(string_at(role, "name"));
  return names;
}

/// `at` names one of the replicated jobs.
void a_role(View at, const std::vector<std::string_view>& names, CheckContext& context) {
  const std::string_view name = string_of(at);
  if (!at || at.kind() != Kind::String || std::ranges::find(names, name) != names.end()) return;
  const std::vector<std::string> all(names.begin(), names.end());
  Diagnostic& report =
      context.refuse(at, "there is no replicated job " + shown(name) +
                             (all.empty() ? std::string() : "; expected " + listed(all, "or")));
  if (const auto near = suggest(name, names)) {
    report.note("`" + std::string(*near) + "` is very likely meant");
  }
}

void depends_on(View object, CheckContext& context) {
  std::vector<std::string_view> before;
  for (View role : roles_of(object)) {
    const View list = get(role, "dependsOn");
    if (list && before.empty()) {
      context.refuse_key(list, "the first replicated job cannot depend on another");
      before.push_back(string_at(role, "name"));
      continue;
    }
    for (View item : items_at(role, "dependsOn")) {
      const View name = get(item, "name");
      if (string_of(name).empty() || std::ranges::find(before, name->text) != before.end())
        continue;
      const std::vector<std::string> all(before.begin(), before.end());
      context.refuse(name, shown(string_at(role, "name")) + " cannot depend on " +
                               shown(name->text) + ", which is not above it; expected " +
                               listed(all, "or"));
    }
    before.push_back(string_at(role, "name"));
  }
}

void subdomain(View object, CheckContext& context) {
  const View name = get(get(spec_of(object), "network"), "subdomain");
  if (string_of(name).empty()) return;
  if (const Fault fault = why_not_service_name(name->text)) {
    context.refuse(name,
                   "subdomain " + shown(name->text) + " " + *fault + ": a Service gets this name");
  }
}

void managed_by(View object, CheckContext& context) {
  const View manager = get(spec_of(object), "managedBy");
  if (!manager || manager.kind() != Kind::String) return;
  if (manager->text.size() > kLabelSize) {
    context.refuse(manager, "`managedBy` has at most 63 characters, not " +
                                std::to_string(manager->text.size()));
  } else if (const Fault fault = why_not_domain_path(manager->text)) {
    context.refuse(manager, shown(manager->text) + " " + *fault);
  }
}

void replicas(View object, CheckContext& context) {
  for (View role : roles_of(object)) {
    const View count = get(role, "replicas");
    const std::int64_t jobs = integer_of(count).value_or(1);
    const std::int64_t pods = integer_at(job_spec(role), "parallelism").value_or(1);
    if (jobs < 0) {
      context.refuse(count, "`replicas` cannot be negative");
    } else if (jobs <= kMaxInt && pods <= kMaxInt && jobs * pods > kMaxInt) {
      context.refuse(count ? count : role, "`replicas` times `parallelism` of " +
                                               shown(string_at(role, "name")) + " is above " +
                                               std::to_string(kMaxInt));
    }
  }
}

void group_name(View object, CheckContext& context) {
  for (View role : roles_of(object)) {
    const View name = get(role, "groupName");
    if (!name || name.kind() != Kind::String) continue;
    if (const Fault fault = why_not_service_name(name->text)) {
      context.refuse(name, "group name " + shown(name->text) + " " + *fault);
    }
  }
}

void success_policy(View object, CheckContext& context) {
  const auto names = names_of(object);
  for (View name : items_at(get(spec_of(object), "successPolicy"), "targetReplicatedJobs")) {
    a_role(name, names, context);
  }
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool in_rule_name(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
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

bool restarts_jobs(std::string_view action) {
  return action == "RestartJob" || action == "RestartJobAndIgnoreMaxRestarts";
}

/// kubernetes-sigs/jobset pkg/features/features.go: alpha, off unless it is switched on.
void restart_job(View object, CheckContext& context) {
  constexpr std::int64_t most = 1024;
  View action;
  for (View rule : items_at(get(spec_of(object), "failurePolicy"), "rules")) {
    if (!action && restarts_jobs(string_at(rule, "action"))) action = get(rule, "action");
  }
  if (!action) return;
  context
      .refuse(action, "action " + shown(action->text) +
                          " is refused unless feature gate `RestartJob` of JobSet is on, which it "
                          "is not by default")
      .note("`RestartJobSet` restarts all Jobs instead");
  for (View role : roles_of(object)) {
    const View count = get(role, "replicas");
    if (integer_of(count).value_or(1) <= most) continue;
    context.refuse(count,
                   "with a rule that restarts single Jobs a replicated job has at most 1024 "
                   "replicas");
  }
}

void in_place_restart(View object, CheckContext& context) {
  const View strategy = get(get(spec_of(object), "failurePolicy"), "restartStrategy");
  if (string_of(strategy) != "InPlaceRestart") return;
  context
      .refuse(strategy,
              "`InPlaceRestart` is refused unless feature gate `InPlaceRestart` of JobSet "
              "is on, which it is not by default")
      .note("`Recreate` and `BlockingRecreate` are always there");
  for (View role : roles_of(object)) {
    const View spec = job_spec(role);
    if (!spec) continue;
    const auto complain = [&](std::string_view key, const std::string& message) {
      const View value = get(spec, key);
      context.refuse(value ? value : spec, "with `InPlaceRestart` " + message);
    };
    if (integer_at(spec, "backoffLimit") != kMaxInt) {
      complain("backoffLimit", "`backoffLimit` must be " + std::to_string(kMaxInt));
    }
    if (string_at(spec, "podReplacementPolicy") != "Failed") {
      complain("podReplacementPolicy", "`podReplacementPolicy` must be `Failed`");
    }
    const auto completions = integer_at(spec, "completions");
    if (!is_jobset(object)) continue;  // both come with the TrainJob
    if (!completions || completions != integer_at(spec, "parallelism")) {
      complain("completions", "`completions` and `parallelism` must be given and equal");
    }
  }
}

/// The value at `key`, or what it stands in.
View near(View map, std::string_view key) {
  const View value = get(map, key);
  return value ? value : map;
}

void coordinator(View object, CheckContext& context) {
  const View coordinator = get(spec_of(object), "coordinator");
  const View name = get(coordinator, "replicatedJob");
  if (!coordinator || !coordinator->is_map() || !name) return;
  a_role(name, names_of(object), context);
  for (View role : roles_of(object)) {
    if (string_at(role, "name") != name->text || name->text.empty()) continue;
    const std::int64_t jobs = integer_at(role, "replicas").value_or(1);
    const std::int64_t job = integer_at(coordinator, "jobIndex").value_or(0);
    if (job < 0 || job >= jobs) {
      context.refuse(near(coordinator, "jobIndex"), shown(name->text) + " has no Job " +
                                                        std::to_string(job) + ": `replicas` is " +
                                                        std::to_string(jobs));
      return;
    }
    if (!is_jobset(object)) return;  // the number of pods comes with the TrainJob
    const auto pods = integer_at(job_spec(role), "completions");
    if (!pods || !is_indexed(role)) {
      context
          .refuse(name, "the Jobs of the coordinator must be Indexed and say their `completions`")
          .also(context.place(near(job_spec(role), "completionMode")), "these Jobs");
      return;
    }
    const std::int64_t pod = integer_at(coordinator, "podIndex").value_or(0);
    if (pod < 0 || pod >= *pods) {
      context.refuse(near(coordinator, "podIndex"),
                     shown(name->text) + " has no pod " + std::to_string(pod) +
                         ": `completions` is " + std::to_string(*pods));
    }
    return;
  }
}

bool mounts(View object, std::string_view volume) {
  for (View role : roles_of(object)) {
    for (std::string_view list : {"initContainers", "containers"}) {
      for (View container : items_at(pod_spec(role), list)) {
        for (View mount : items_at(container, "volumeMounts")) {
          if (string_at(mount, "name") == volume) return true;
        }
      }
    }
  }
  return false;
}

void volume_claims(View object, CheckContext& context) {
  std::vector<View> seen;
  for (View policy : items_at(spec_of(object), "volumeClaimPolicies")) {
    for (View claim : items_at(policy, "templates")) {
      const View name = get(get(claim, "metadata"), "name");
      if (string_of(name).empty()) {
        context.refuse(claim, "a claim of `volumeClaimPolicies` needs a name");
        continue;
      }
      if (const Fault fault = why_not_subdomain(name->text)) {
        context.refuse(name, "claim name " + shown(name->text) + " " + *fault);
      }
      const auto first =
          std::ranges::find_if(seen, [&](View other) { return other->text == name->text; });
      if (first != seen.end()) {
        context.refuse(name, "two claims are called " + shown(name->text))
            .also(context.place(*first), "the first one");
      }
      seen.push_back(name);
      if (is_jobset(object) && !mounts(object, name->text)) {
        context.refuse(name, "no container mounts the claim " + shown(name->text));
      }
      for (View role : roles_of(object)) {
        for (View volume : items_at(pod_spec(role), "volumes")) {
          const View own = get(volume, "name");
          if (string_of(own) != name->text) continue;
          context.refuse(own, "the claim " + shown(name->text) + " becomes a volume of this name")
              .also(context.place(name), "the claim");
        }
      }
    }
  }
}

/// Whether the claim is there because this very JobSet made it.
bool is_made_by(View claim, View object) {
  for (View owner : items_at(get(claim, "metadata"), "ownerReferences")) {
    const bool same = string_at(owner, "kind") == "JobSet" &&
                      string_at(owner, "name") == string_at(get(object, "metadata"), "name");
    if (same) return true;
  }
  return false;
}

/// A claim of the name that JobSet would give is used as it is, and never deleted with the JobSet.
/// A policy that does not say what becomes of it is one to delete it.
void claims_that_are_there(View object, CheckContext& context) {
  if (context.old()) return;  // asked of what is new only
  const View metadata = get(object, "metadata");
  for (View policy : items_at(spec_of(object), "volumeClaimPolicies")) {
    for (View claim : items_at(policy, "templates")) {
      const View name = get(get(claim, "metadata"), "name");
      if (string_of(name).empty() || string_at(metadata, "name").empty()) continue;
      const Inventory* around = context.inventory();
      if (around == nullptr) return;
      const std::string whole =
          std::string(name->text) + "-" + std::string(string_at(metadata, "name"));
      const View there =
          around->find("", "PersistentVolumeClaim", string_at(metadata, "namespace"), whole);
      if (!there || is_made_by(there, object)) continue;
      const View retention = get(policy, "retentionPolicy");
      const View fate = get(retention, "whenDeleted");
      if (string_of(fate) != "Retain") {
        context
            .refuse(fate        ? fate
                    : retention ? retention
                                : policy,
                    "the claim " + shown(whole) +
                        " is there already, and stays: `whenDeleted` must be `Retain`")
            .also(context.place(there), "the claim");
      }
      const View spec = get(claim, "spec");
      if (changed(get(there, "spec"), spec, {})) {
        context.refuse(spec, "the claim " + shown(whole) + " is there already, and is another one")
            .also(context.place(get(there, "spec")), "the claim");
      }
    }
  }
}

/// The annotation's value becomes the topology key of affinity terms; pods behind the first wait
/// until the pod of completion index 0 is scheduled.
void exclusive(View annotations, View object, View only, CheckContext& context) {
  const View key = get(annotations, kExclusive);
  if (!key || key.kind() != Kind::String) return;
  if (const Fault fault = why_not_label_key(key->text)) {
    context.refuse(
        key, "topology key " + shown(key->text) + " " + *fault + ": no pod can be made with it");
    return;
  }
  if (get(annotations, kNodeSelector)) return;
  for (View role : roles_of(object)) {
    if ((only && role.id() != only.id()) || is_indexed(role)) continue;
    context
        .refuse(near(job_spec(role), "completionMode"),
                "with exclusive placement the pods of " + shown(string_at(role, "name")) +
                    " wait for that of completion index 0, and without `Indexed` there is none")
        .also(context.place(key), "exclusive placement");
  }
}

void exclusive_placement(View object, CheckContext& context) {
  const View holder = is_jobset(object) ? object : get(get(object, "spec"), "template");
  exclusive(get(get(holder, "metadata"), "annotations"), object, {}, context);
  for (View role : roles_of(object)) {
    exclusive(get(get(get(role, "template"), "metadata"), "annotations"), object, role, context);
  }
}

/// A field that one of two maps leaves to its default, and of which the other says something else.
struct LeftOut {
  View at;  // the value, or the map without it
  std::string_view key;
  std::string_view by_default;
};

LeftOut left_out(View before, View now, LeftOut field) {
  const View was = get(before, field.key);
  const View is = get(now, field.key);
  if (!before || !now || static_cast<bool>(was) == static_cast<bool>(is)) return {};
  const View stated = was ? was : is;
  if (!stated->is_scalar() || stated.kind() == Kind::Null) return {};
  if (stated->text == field.by_default) return {};
  field.at = is ? is : now;
  return field;
}

/// The first one in two lists of replicated jobs.
LeftOut left_out_of_roles(View before, View now) {
  const Items roles = items_at(now, "replicatedJobs");
  auto each = roles.begin();
  for (View was : items_at(before, "replicatedJobs")) {
    if (each == roles.end()) return {};
    const View is = *each;
    ++each;
    for (const LeftOut& field :
         {left_out(was, is, {{}, "replicas", "1"}), left_out(was, is, {{}, "groupName", "default"}),
          left_out(job_spec(was), job_spec(is), {{}, "completionMode", "Indexed"}),
          left_out(pod_spec(was), pod_spec(is), {{}, "restartPolicy", "OnFailure"})}) {
      if (field.at) return field;
    }
  }
  return {};
}

void changes(View object, CheckContext& context) {
  const View old = context.old();
  if (!old) return;
  const View before = spec_of(old);
  const View now = spec_of(object);
  constexpr auto filled = std::to_array<std::string_view>(
      {"completionMode", "restartPolicy", "groupName", "replicas", "protocol"});
  // What Kueue sets when it admits: of the pods, and only around a suspension.
  constexpr auto placing = std::to_array<std::string_view>(
      {"labels", "annotations", "nodeSelector", "tolerations", "schedulingGates"});
  ChangeRules rules{{}, filled};
  if (is_true(get(before, "suspend")) || is_true(get(now, "suspend"))) rules.free = placing;
  for (std::string_view key : {"replicatedJobs", "managedBy"}) {
    View at = changed(get(before, key), get(now, key), rules);
    LeftOut field;
    if (!at && key == "replicatedJobs") field = left_out_of_roles(before, now);
    if (field.at) at = field.at;
    const bool gone = get(before, key) && !get(now, key);
    if (!at && !gone) continue;
    Diagnostic& report =
        context.refuse(at ? at : now, shown(key) + " of a JobSet cannot change after it is made");
    if (field.at) {
      report.note(shown(field.key) + " is " + shown(field.by_default) + " where it is left out");
      continue;
    }
    report.note(key == "managedBy" ? "make a new JobSet"
                                   : "while it is suspended, labels, annotations, node selectors, "
                                     "tolerations and scheduling gates of its pods can");
  }
}

constexpr std::string_view kCreate =
    "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateCreate";
constexpr std::string_view kWithRuntimes =
    "jobset.x-k8s.io JobSet; trainer.kubeflow.org TrainingRuntime ClusterTrainingRuntime";
constexpr OperatorSpan kOperator{.name = "jobset"};

constexpr Check kChecks[] = {
    {.name = "jobset-depends-on",
     .on = kWithRuntimes,
     .sentence = "A replicated job depends on such as stand above it; the first one on none.",
     .source = kCreate,
     .object = depends_on,
     .operators = {.name = "jobset", .since = "0.8"}},
    {.name = "jobset-subdomain",
     .on = kWithRuntimes,
     .sentence = "The subdomain of a JobSet can be the name of a Service.",
     .source = kCreate,
     .object = subdomain,
     .operators = kOperator},
    {.name = "jobset-managed-by",
     .on = kWithRuntimes,
     .sentence = "Who manages a JobSet is given as `domain/name`, in at most 63 characters.",
     .source = kCreate,
     .object = managed_by,
     .operators = kOperator},
    {.name = "jobset-replicas",
     .on = kWithRuntimes,
     .sentence =
         "The number of Jobs is not negative, and that of all their pods fits into 32 bits.",
     .source = kCreate,
     .object = replicas,
     .operators = kOperator},
    {.name = "jobset-group-name",
     .on = kWithRuntimes,
     .sentence = "The name of a group of Jobs is an RFC 1035 label.",
     .source = kCreate,
     .object = group_name,
     .operators = {.name = "jobset", .since = "0.9"}},
    {.name = "jobset-success-policy",
     .on = kWithRuntimes,
     .sentence = "The success policy names replicated jobs that there are.",
     .source = kCreate,
     .object = success_policy,
     .operators = kOperator},
    {.name = "jobset-failure-rule-names",
     .on = kWithRuntimes,
     .sentence = "Rules of the failure policy have different names of the right form.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateFailurePolicy",
     .object = failure_rule_names,
     .operators = kOperator},
    {.name = "jobset-failure-rules",
     .on = kWithRuntimes,
     .sentence = "Rules of the failure policy name replicated jobs and reasons that there are.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateFailurePolicy",
     .object = failure_rules,
     .operators = kOperator},
    {.name = "jobset-restart-job",
     .on = kWithRuntimes,
     .sentence = "Rules that restart single Jobs need a feature gate, and at most 1024 replicas.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateFailurePolicy, "
               "pkg/features/features.go",
     .object = restart_job,
     .operators = kOperator},
    {.name = "jobset-in-place-restart",
     .on = kWithRuntimes,
     .sentence = "In-place restart needs a feature gate, and Jobs that leave restarts to JobSet.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateCreate, "
               "pkg/features/features.go",
     .object = in_place_restart,
     .operators = kOperator},
    {.name = "jobset-coordinator",
     .on = kWithRuntimes,
     .sentence = "The coordinator is a pod that there will be.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateCoordinator",
     .object = coordinator,
     .operators = kOperator},
    {.name = "jobset-volume-claims",
     .on = kWithRuntimes,
     .sentence = "Claims of a JobSet have different names, are mounted, and hide no volume.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateVolumeClaimPolicies",
     .object = volume_claims,
     .operators = kOperator},
    {.name = "jobset-claims-there",
     .on = "jobset.x-k8s.io JobSet",
     .sentence = "A claim that is there already is the one that a JobSet would make, and stays.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go validateVolumeClaimPolicies",
     .object = claims_that_are_there,
     .operators = kOperator},
    {.name = "jobset-exclusive-placement",
     .on = kWithRuntimes,
     .sentence = "Exclusive placement names a topology key, and its Jobs are Indexed.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/pod_webhook.go",
     .object = exclusive_placement,
     .operators = kOperator},
    {.name = "jobset-stays",
     .on = "jobset.x-k8s.io JobSet",
     .sentence = "Replicated jobs and the manager of a JobSet do not change.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateUpdate",
     .object = changes,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> jobset_checks = kChecks;

}  // namespace trainyard
