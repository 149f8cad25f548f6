#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "admission/immutable_fields.h"
#include "admission/replaced_object.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "source/word_table.h"
#include "tree/typed_fields.h"

// What may not change of a Job, of a Pod and of what keeps pods running.

namespace trainyard {
namespace {

/// What the API server fills into a Job and its pods. What stands in the cluster has it, what is
/// applied need not. kubernetes/kubernetes pkg/apis/core/v1/defaults.go, pkg/apis/batch/v1
constexpr auto kFilledIntoPods = word_table<
    "apiVersion batch.kubernetes.io/controller-uid batch.kubernetes.io/job-name controller-uid "
    "defaultMode divisor dnsPolicy enableServiceLinks expirationSeconds failureThreshold fsType "
    "hostPort imagePullPolicy job-name path periodSeconds protocol restartPolicy schedulerName "
    "scheme service serviceAccount status successThreshold terminationGracePeriodSeconds "
    "terminationMessagePath terminationMessagePolicy timeoutSeconds volumeMode">;

/// What decides where pods go and what they get, which may change before a suspended Job starts.
constexpr auto kPlacing =
    std::to_array<std::string_view>({"annotations", "labels", "nodeAffinity", "nodeSelector",
                                     "resources", "schedulingGates", "tolerations"});

constexpr const char* kNewJob = "delete the Job first, or give this one another name";

std::string_view completion_mode(View spec) {
  const std::string_view mode = string_at(spec, "completionMode");
  return mode.empty() ? "NonIndexed" : mode;
}

/// What a Job has to complete: 1 if it states no size.
std::optional<std::int64_t> completions_of(View spec) {
  if (!get(spec, "completions") && !get(spec, "parallelism")) return 1;
  return integer_at(spec, "completions");
}

/// An Indexed Job may grow or shrink, all of its pods at once; another one has the number it has.
void completions_stay(View before, View now, CheckContext& context) {
  const View wanted = get(now, "completions");
  const auto count = integer_of(wanted);
  if (!count || completions_of(before) == count) return;
  if (completion_mode(now) != "Indexed") {
    const auto was = completions_of(before);
    context
        .refuse(wanted, "`completions` of an existing Job cannot change" +
                            (was ? ": they are " + std::to_string(*was) : std::string()))
        .note(kNewJob);
    return;
  }
  const View written = get(now, "parallelism");
  const auto at_once = integer_of(written ? written : get(before, "parallelism"));
  if (at_once.value_or(1) == *count) return;
  context.refuse(wanted,
                 "`completions` of an Indexed Job change together with `parallelism`, "
                 "which is " +
                     std::to_string(at_once.value_or(1)));
}

void job_stays(View object, CheckContext& context) {
  const View before = get(replaced(object, context), "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  if (completion_mode(before) != completion_mode(now)) {
    const View mode = get(now, "completionMode");
    context
        .refuse(mode ? mode : now, "`completionMode` of an existing Job cannot change: it is " +
                                       shown(completion_mode(before)))
        .note(kNewJob);
    return;
  }
  completions_stay(before, now, context);
  const bool waits = is_true(get(before, "suspend"));
  ImmutabilityRules rules{{}, kFilledIntoPods};
  if (waits) rules.free = kPlacing;
  if (Diagnostic* told = keep(before, now, "template", rules, "Job", context)) {
    told->note(kNewJob);
    if (!waits) return;
    told->note(
        "while it is suspended, labels, annotations, resources and what places its pods can "
        "change");
  }
  for (std::string_view key :
       {"podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "managedBy"}) {
    if (Diagnostic* told = keep(before, now, key, {{}, kFilledIntoPods}, "Job", context)) {
      told->note(kNewJob);
    }
  }
}

/// What the API server, its plugins and the scheduler fill into a Pod. kubernetes/kubernetes
/// pkg/apis/core/v1/defaults.go, plugin/pkg/admission
constexpr auto kFilledIntoPod = [] {
  constexpr auto more = std::to_array<std::string_view>(
      {"nodeName", "overhead", "preemptionPolicy", "priority", "requests", "serviceAccountName"});
  std::array<std::string_view, kFilledIntoPods.size() + more.size()> all{};
  std::ranges::copy(more, std::ranges::copy(kFilledIntoPods, all.begin()).out);
  return all;
}();

/// What may change, or may change in one direction only, which is looked at by itself.
constexpr auto kFreeOfPod = std::to_array<std::string_view>(
    {"activeDeadlineSeconds", "image", "schedulingGates", "tolerations"});

/// What places a Pod may become narrower before its gates are gone.
constexpr auto kFreeOfGatedPod =
    std::to_array<std::string_view>({"activeDeadlineSeconds", "image", "schedulingGates",
                                     "tolerations", "nodeSelector", "nodeAffinity"});

constexpr const char* kNewPod = "delete the Pod first, or give this one another name";

void pod_deadline_sinks(View before, View now, CheckContext& context) {
  const auto was = integer_at(before, "activeDeadlineSeconds");
  const View wanted = get(now, "activeDeadlineSeconds");
  const auto is = integer_of(wanted);
  if (!was || (wanted && (!is || *is <= *was))) return;
  context
      .refuse(wanted ? wanted : now,
              "the deadline of an existing Pod can only come sooner: "
              "`activeDeadlineSeconds` is " +
                  std::to_string(*was))
      .note(kNewPod);
}

void gates_open(View before, View now, CheckContext& context) {
  for (View gate : items_at(now, "schedulingGates")) {
    const std::string_view name = string_at(gate, "name");
    const bool is_there = std::ranges::any_of(items_at(before, "schedulingGates"), [&](View each) {
      return string_at(each, "name") == name;
    });
    if (is_there || name.empty()) continue;
    context
        .refuse(gate,
                "gate " + shown(name) + " is new: gates of an existing Pod can only be removed")
        .note(kNewPod);
    return;
  }
}

/// Tolerations that plugins of the API server add have keys with a domain and no value.
bool may_be_added(View toleration) {
  return string_at(toleration, "key").find('/') != std::string_view::npos &&
         string_at(toleration, "value").empty();
}

void tolerations_stay(View before, View now, bool is_live, CheckContext& context) {
  if (is_live && !get(now, "tolerations")) return;
  constexpr auto seconds = std::to_array<std::string_view>({"tolerationSeconds"});
  constexpr auto filled = std::to_array<std::string_view>({"operator"});
  for (View old : items_at(before, "tolerations")) {
    if (is_live && may_be_added(old)) continue;
    const bool stays = std::ranges::any_of(items_at(now, "tolerations"), [&](View each) {
      return !first_change(old, each, {seconds, filled});
    });
    if (stays) continue;
    const View list = get(now, "tolerations");
    context
        .refuse(
            list ? list : now,
            "a toleration of an existing Pod must stay; only its `tolerationSeconds` can change")
        .also(context.place(old), "this one is not found again")
        .note(kNewPod);
    return;
  }
}

/// One that waits at a gate may get more labels of nodes, and keeps those that it has.
void node_labels_stay(View before, View now, CheckContext& context) {
  for (View label : entries_at(before, "nodeSelector")) {
    const View wanted = get(get(now, "nodeSelector"), label.key());
    if (wanted && wanted->text == label->text) continue;
    context
        .refuse(wanted ? wanted : now, "node label " + shown(label.key()) +
                                           " of an existing Pod cannot change: it is " +
                                           shown(label->text))
        .note(kNewPod);
  }
}

/// The old Pod holds values that the API server added. A field that the new Pod leaves out is
/// therefore no change.
void pod_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  const View before = get(old, "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  const bool is_live = static_cast<bool>(get(get(old, "metadata"), "uid"));
  const bool is_gated = has_items(get(before, "schedulingGates"));
  pod_deadline_sinks(before, now, context);
  gates_open(before, now, context);
  tolerations_stay(before, now, is_live, context);
  if (is_gated && !is_live) node_labels_stay(before, now, context);
  ImmutabilityRules rules{kFreeOfPod, kFilledIntoPod, is_live};
  if (is_gated) rules.free = kFreeOfGatedPod;
  if (Diagnostic* told = keep(old, object, "spec", rules, "Pod", context)) {
    told->note(kNewPod);
    told->note("images can change, and what makes a Pod end sooner");
  }
}

void workload_stays(View object, CheckContext& context) {
  const View before = get(replaced(object, context), "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  const std::string_view kind = string_at(object, "kind");
  keep(before, now, "selector", {}, kind, context);
  if (kind != "StatefulSet") return;
  constexpr auto filled = std::to_array<std::string_view>(
      {"apiVersion", "kind", "podManagementPolicy", "status", "volumeMode"});
  if (get(before, "podManagementPolicy") && get(now, "podManagementPolicy")) {
    keep(before, now, "podManagementPolicy", {}, kind, context);
  }
  for (std::string_view key : {"serviceName", "volumeClaimTemplates"}) {
    keep(before, now, key, {{}, filled}, kind, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "job-stays",
     .group = CheckGroup::Core,
     .on = "batch Job",
     .sentence = "The pods of a Job, how it counts them and who manages it do not change.",
     .source = "kubernetes/kubernetes pkg/apis/batch/validation/validation.go "
               "ValidateJobSpecUpdate",
     .object = job_stays},
    {.name = "pod-stays",
     .group = CheckGroup::Core,
     .on = "core Pod",
     .sentence = "A Pod keeps what it runs and where, but for its images; its deadline comes no "
                 "later, its tolerations stay, and no gate is added.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidatePodUpdate",
     .object = pod_stays},
    {.name = "workload-stays",
     .group = CheckGroup::Core,
     .on = "apps Deployment ReplicaSet DaemonSet StatefulSet",
     .sentence = "The selector of a workload does not change, nor do the Service and the claims of "
                 "a StatefulSet.",
     .source = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go "
               "ValidateStatefulSetUpdate, ValidateDeploymentUpdate",
     .object = workload_stays},
};

}  // namespace

constinit const std::span<const Check> pod_update_checks = kChecks;

}  // namespace trainyard
