#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/selectors.h"
#include "schema/names.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/batch/validation/validation.go validateJobSpec";

bool is_indexed(const Job& job) {
  return job.completion_mode() == "Indexed";
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto value = read_number(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// How often the Job has to succeed; nothing when that is not said, or said elsewhere.
std::optional<std::int64_t> completions(const Job& job) {
  if (job.place->sets_counts) return std::nullopt;
  const View given = get(job.spec, "completions");
  if (given) return integer_of(given);
  if (!get(job.spec, "parallelism")) return 1;  // both are 1 when none is given
  return std::nullopt;
}

void restart_policy(const Job& job, CheckContext& context) {
  const View pod = get(get(job.spec, "template"), "spec");
  const View policy = get(pod, "restartPolicy");
  const std::string_view word = job.restart_policy();
  const View policies = get(job.spec, "podFailurePolicy");
  if (word.empty()) {
    if (!pod || context.is_flagged(pod)) return;
    context.refuse(pod,
                   "the pods of a Job need a `restartPolicy`, `Never` or `OnFailure`; left "
                   "out it is `Always`, which a Job refuses");
  } else if (word == "Always") {
    context.refuse(policy,
                   "the pods of a Job come to an end, so their restart policy is `Never` or "
                   "`OnFailure`, not `Always`");
  } else if (policies && word != "Never") {
    context
        .refuse(policy ? policy : policies,
                "a `podFailurePolicy` judges pods that have failed, which needs `restartPolicy: "
                "Never`, not " +
                    shown(word))
        .also(context.place(policies), "the policy");
  }
}

void counts(const Job& job, CheckContext& context) {
  for (std::string_view key :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    const View value = get(job.spec, key);
    if (integer_of(value).value_or(0) < 0) {
      context.refuse(value, shown(key) + " cannot be negative");
    }
  }
}

void completion_mode(const Job& job, CheckContext& context) {
  constexpr auto modes = std::to_array<std::string_view>({"NonIndexed", "Indexed"});
  const View mode = get(job.spec, "completionMode");
  context.allow_written(mode, "completion mode", modes);
  if (!is_indexed(job) || job.place->sets_counts) return;
  const View parallelism = get(job.spec, "parallelism");
  if (parallelism && !get(job.spec, "completions")) {
    context.refuse(mode ? mode : parallelism,
                   "an Indexed Job needs `completions`: how many indices there are");
  }
  constexpr std::int64_t most = 100'000;
  if (integer_of(parallelism).value_or(0) > most) {
    context.refuse(parallelism, "an Indexed Job runs at most 100000 pods at a time, not " +
                                    std::to_string(*integer_of(parallelism)));
  }
}

void many_indices(const Job& job, CheckContext& context) {
  constexpr std::int64_t many = 100'000;
  constexpr std::int64_t limit = 10'000;
  const View failed = get(job.spec, "maxFailedIndexes");
  if (completions(job).value_or(0) <= many || !get(job.spec, "backoffLimitPerIndex")) return;
  if (!failed) {
    context.refuse(get(job.spec, "completions"),
                   "with more than 100000 completions and a limit for each index "
                   "`maxFailedIndexes` must be set");
  }
  for (std::string_view key : {"parallelism", "maxFailedIndexes"}) {
    const View value = get(job.spec, key);
    if (integer_of(value).value_or(0) <= limit) continue;
    context.refuse(value, "with more than 100000 completions and a limit for each index " +
                              shown(key) + " is at most 10000");
  }
}

void backoff_per_index(const Job& job, CheckContext& context) {
  const View failed = get(job.spec, "maxFailedIndexes");
  const View limit = get(job.spec, "backoffLimitPerIndex");
  if (!is_indexed(job)) {
    for (View field : {limit, failed}) {
      if (!field) continue;
      context.refuse_key(field, shown(field.key()) +
                                    " needs `completionMode: Indexed`: without it "
                                    "there are no indices");
    }
    return;
  }
  if (failed && !limit) {
    context.refuse_key(failed,
                       "`maxFailedIndexes` needs `backoffLimitPerIndex`: without it no "
                       "index fails for itself");
  }
  const auto all = completions(job);
  const auto most = integer_of(failed);
  if (all && most && *most > *all) {
    context.refuse(failed, "of " + std::to_string(*all) + " indices at most " +
                               std::to_string(*all) + " can fail, not " + std::to_string(*most));
  }
  many_indices(job, context);
}

std::vector<std::string_view> container_names(const Job& job) {
  std::vector<std::string_view> names;
  const View pod = get(get(job.spec, "template"), "spec");
  for (std::string_view list : {"containers", "initContainers"}) {
    for (View container : items_at(pod, list)) names.push_back(string_at(container, "name"));
  }
  return names;
}

void exit_values(View codes, CheckContext& context) {
  const View values = get(codes, "values");
  if (!has_items(values)) {
    context.refuse(values ? values : codes, "`onExitCodes` has no `values` to compare with");
    return;
  }
  if (values->size > 255) {
    context.refuse(values,
                   "at most 255 exit codes can be listed, not " + std::to_string(values->size));
  }
  std::optional<std::int64_t> before;
  for (View value : Items(values)) {
    const auto number = integer_of(value);
    if (!number) continue;
    if (*number == 0 && string_at(codes, "operator") == "In") {
      context.refuse(value, "exit code 0 is success, a failed pod cannot have it");
    }
    if (before && *number == *before) {
      context.refuse(value, "exit code " + std::to_string(*number) + " is listed twice");
    } else if (before && *number < *before) {
      context.refuse(value, "exit codes are listed in ascending order; " + std::to_string(*number) +
                                " comes behind " + std::to_string(*before));
    }
    before = number;
  }
}

void exit_codes(const Job& job, View codes, CheckContext& context) {
  constexpr auto operators = std::to_array<std::string_view>({"In", "NotIn"});
  require_text(codes, "operator", context);
  context.allow(get(codes, "operator"), "operator for exit codes", operators);
  exit_values(codes, context);
  const View name = get(codes, "containerName");
  if (!name || name.kind() != Kind::String || job.place->sets_counts) return;
  const std::vector<std::string_view> names = container_names(job);
  if (std::ranges::find(names, name->text) != names.end()) return;
  context.refuse(name, "there is no container " + shown(name->text) + " in the pods of this Job");
}

void failure_rule(const Job& job, View rule, CheckContext& context) {
  constexpr auto actions =
      std::to_array<std::string_view>({"FailJob", "Ignore", "Count", "FailIndex"});
  constexpr auto states = std::to_array<std::string_view>({"True", "False", "Unknown"});
  const View action = get(rule, "action");
  require_text(rule, "action", context);
  context.allow(action, "action of a pod failure policy", actions);
  if (string_of(action) == "FailIndex" && !get(job.spec, "backoffLimitPerIndex")) {
    context.refuse(action,
                   "`FailIndex` needs `backoffLimitPerIndex`: without it no index fails "
                   "for itself");
  }
  const View codes = get(rule, "onExitCodes");
  const View conditions = get(rule, "onPodConditions");
  if (!codes && !has_items(conditions)) {
    context.refuse(rule, "the rule matches nothing; expected `onExitCodes` or `onPodConditions`");
  } else if (codes && has_items(conditions)) {
    context.refuse_key(conditions,
                       "a rule matches `onExitCodes` or `onPodConditions`, not both; "
                       "make two rules of it");
  }
  if (codes && codes->is_map()) exit_codes(job, codes, context);
  for (View condition : items_at(rule, "onPodConditions")) {
    context.allow(get(condition, "status"), "status of a condition", states);
    require_text(condition, "type", context);
    context.name(get(condition, "type"), "condition", why_not_label_key);
  }
}

void failure_policy(const Job& job, CheckContext& context) {
  const View policy = get(job.spec, "podFailurePolicy");
  const View rules = get(policy, "rules");
  if (rules && rules->is_seq() && rules->size > 20) {
    context.refuse(rules,
                   "a pod failure policy has at most 20 rules, not " + std::to_string(rules->size));
  }
  for (View rule : items_at(policy, "rules")) {
    if (rule->is_map()) failure_rule(job, rule, context);
  }
  const View replacement = get(job.spec, "podReplacementPolicy");
  constexpr auto words = std::to_array<std::string_view>({"TerminatingOrFailed", "Failed"});
  context.allow_written(replacement, "pod replacement policy", words);
  if (policy && string_of(replacement) == "TerminatingOrFailed") {
    context.refuse(replacement,
                   "with a `podFailurePolicy` a pod is replaced when it has failed; "
                   "expected `Failed`");
  }
}

/// The number of indices in `0,2-4`, in ascending order and below `all`; nothing when it is no such
/// text.
std::optional<std::int64_t> count_indices(std::string_view text, std::int64_t all) {
  std::int64_t count = 0;
  std::int64_t last = -1;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t dash = part.find('-');
    const auto first = whole_number(part.substr(0, dash));
    const auto end = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !end || *first <= last || *end < *first || *end >= all) return std::nullopt;
    count += *end - *first + 1;
    last = *end;
  }
  return count;
}

void success_indices(View indices, std::int64_t all, View wanted, CheckContext& context) {
  if (!indices || indices.kind() != Kind::String) return;
  const auto count = count_indices(indices->text, all);
  if (!count) {
    context.refuse(indices, shown(indices->text) + " is no ascending list of indices below " +
                                std::to_string(all) + ", such as `0,2-3`");
  } else if (integer_of(wanted).value_or(0) > *count) {
    context.refuse(wanted, "of " + std::to_string(*count) + " indices " + shown(wanted->text) +
                               " cannot succeed");
  }
}

void success_rule(const Job& job, View rule, CheckContext& context) {
  const View count = get(rule, "succeededCount");
  if (!count && !get(rule, "succeededIndexes")) {
    context.refuse(rule,
                   "the rule asks for nothing; expected `succeededCount` or "
                   "`succeededIndexes`");
  }
  const auto wanted = integer_of(count);
  const auto all = completions(job);
  if (all) success_indices(get(rule, "succeededIndexes"), *all, count, context);
  if (!wanted || !all || (*wanted >= 0 && *wanted <= *all)) return;
  context.refuse(count, "a Job with " + std::to_string(*all) + " completions cannot have " +
                            std::to_string(*wanted) + " succeed");
}

void success_policy(const Job& job, CheckContext& context) {
  const View policy = get(job.spec, "successPolicy");
  if (!policy || !policy->is_map()) return;
  if (!is_indexed(job)) {
    context.refuse_key(policy, "`successPolicy` needs `completionMode: Indexed`");
    return;
  }
  const View rules = get(policy, "rules");
  if (!has_items(rules)) {
    context.refuse(rules ? rules : policy, "a success policy needs a rule");
  } else if (rules->size > 20) {
    context.refuse(rules,
                   "a success policy has at most 20 rules, not " + std::to_string(rules->size));
  }
  for (View rule : items_at(policy, "rules")) {
    if (rule->is_map()) success_rule(job, rule, context);
  }
}

void managed_by(const Job& job, CheckContext& context) {
  const View manager = get(job.spec, "managedBy");
  const std::string_view text = string_of(manager);
  if (text.empty()) return;
  if (text.size() > 63) {
    context.refuse(manager,
                   "`managedBy` has at most 63 characters, not " + std::to_string(text.size()));
    return;
  }
  if (const Fault fault = why_not_domain_path(text)) {
    context.refuse(manager, shown(text) + " " + *fault);
  }
}

/// Whether a text is the UID of the Job itself: it was read from a cluster, where the API server
/// has put this in.
bool is_own_uid(const Job& job, View text) {
  const std::string_view uid = string_at(get(job.object, "metadata"), "uid");
  return job.place->is_job && !uid.empty() && string_of(text) == uid;
}

/// Labels that every pod of a Job gets; others in their place are refused.
void own_labels(const Job& job, CheckContext& context) {
  const View labels = get(get(get(job.spec, "template"), "metadata"), "labels");
  const std::string_view name = string_at(get(job.object, "metadata"), "name");
  for (std::string_view key : {"job-name", "batch.kubernetes.io/job-name"}) {
    const View label = get(labels, key);
    if (!label || name.empty() || string_of(label) == name) continue;
    context.refuse(label, "the API server sets " + shown(key) + " to the name of the Job, " +
                              shown(name) + ": leave the label out");
  }
  for (std::string_view key : {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
    const View label = get(labels, key);
    if (label && !is_own_uid(job, label)) {
      context.refuse_key(label, "the API server sets " + shown(key) + ": leave the label out");
    }
  }
}

void manual_selector(const Job& job, View own, CheckContext& context) {
  const View manual = get(job.spec, "manualSelector");
  if (!own) {
    context.refuse(manual, "`manualSelector: true` needs a `selector` beside it");
    return;
  }
  check_selector(own, context);
  if (selects(own, get(get(get(job.spec, "template"), "metadata"), "labels"))) return;
  context.refuse(own, "the labels of the pods do not match the selector");
}

/// The selector of a Job is made for it, from a label that only then is known.
void selector(const Job& job, CheckContext& context) {
  const View own = get(job.spec, "selector");
  if (is_true(get(job.spec, "manualSelector"))) return manual_selector(job, own, context);
  own_labels(job, context);
  if (!own) return;
  const View wanted = get(own, "matchLabels");
  if (!has_items(wanted) && !has_items(get(own, "matchExpressions"))) return;
  const auto is_own = [&](View label) { return is_own_uid(job, label); };
  if (!has_items(get(own, "matchExpressions")) && std::ranges::all_of(Items(wanted), is_own))
    return;
  context.refuse_key(own,
                     "the selector of a Job is made by the API server: leave it out, or set "
                     "`manualSelector: true`");
}

/// Each pod of an Indexed Job has the host name `<job>-<index>`.
void pod_host_names(const Job& job, CheckContext& context) {
  if (!job.place->is_job || !is_indexed(job)) return;
  const auto all = completions(job);
  const View name = get(get(job.object, "metadata"), "name");
  if (!all || *all <= 0 || string_of(name).empty()) return;
  const std::string last = std::string(name->text) + "-" + std::to_string(*all - 1);
  if (const Fault fault = why_not_dns_label(last)) {
    context.refuse(name, "the last pod of this Job would have the host name " + shown(last) +
                             ", which " + *fault);
  }
}

/// The name of a Job becomes a label of its pods.
void job_name_label(const Job& job, CheckContext& context) {
  if (!job.place->is_job) return;
  const View name = get(get(job.object, "metadata"), "name");
  if (string_of(name).size() <= kLabelSize) return;
  context.refuse(name,
                 "the name of a Job becomes a label of its pods, which has at most 63 "
                 "characters, not " +
                     std::to_string(name->text.size()));
}

constexpr Check kChecks[] = {
    {.name = "job-restart-policy",
     .group = CheckGroup::Core,
     .sentence = "Pods of a Job are restarted on failure or never; never where a pod failure "
                 "policy judges them.",
     .source = kSource,
     .job = restart_policy},
    {.name = "job-counts",
     .group = CheckGroup::Core,
     .sentence = "Counts and times of a Job are not negative.",
     .source = kSource,
     .job = counts},
    {.name = "job-completion-mode",
     .group = CheckGroup::Core,
     .sentence = "An Indexed Job says how many indices it has, and runs at most 100000 at a time.",
     .source = kSource,
     .job = completion_mode},
    {.name = "job-backoff-per-index",
     .group = CheckGroup::Core,
     .sentence = "Limits for each index go with an Indexed Job, and `maxFailedIndexes` with "
                 "`backoffLimitPerIndex`.",
     .source = kSource,
     .job = backoff_per_index},
    {.name = "job-failure-policy",
     .group = CheckGroup::Core,
     .sentence = "Each rule of a pod failure policy has an action and matches exit codes or "
                 "conditions that can occur.",
     .source = "kubernetes/kubernetes pkg/apis/batch/validation/validation.go "
               "validatePodFailurePolicy",
     .job = failure_policy},
    {.name = "job-success-policy",
     .group = CheckGroup::Core,
     .sentence = "A success policy goes with an Indexed Job and asks for what it can reach.",
     .source =
         "kubernetes/kubernetes pkg/apis/batch/validation/validation.go validateSuccessPolicy",
     .job = success_policy},
    {.name = "job-managed-by",
     .group = CheckGroup::Core,
     .sentence = "The controller of a Job is named as `domain/name`.",
     .source = kSource,
     .job = managed_by},
    {.name = "job-selector",
     .group = CheckGroup::Core,
     .sentence = "The selector of a Job is left to the API server, unless `manualSelector` is set.",
     .source = "kubernetes/kubernetes pkg/apis/batch/validation/validation.go "
               "validateGeneratedSelector",
     .job = selector},
    {.name = "job-host-names",
     .group = CheckGroup::Core,
     .sentence =
         "The host name of the last pod of an Indexed Job, `<job>-<index>`, is a DNS label.",
     .source = "kubernetes/kubernetes pkg/apis/batch/validation/validation.go ValidateJob",
     .job = pod_host_names},
    {.name = "job-name-label",
     .group = CheckGroup::Core,
     .sentence = "The name of a Job fits into a label of its pods.",
     .source = "kubernetes/kubernetes pkg/registry/batch/job/strategy.go generateSelector",
     .job = job_name_label},
};

}  // namespace

constinit const std::span<const Check> job_checks = kChecks;

}  // namespace trainyard
