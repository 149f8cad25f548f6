#include <array>
#include <optional>
#include <string>

#include "admission/int_or_percent.h"
#include "admission/name_checks.h"
#include "admission/schedule.h"
#include "admission/tables.h"
#include "admission/time_zones.h"
#include "admission/volume_claim.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/selectors.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go";

void selector(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View own = get(spec, "selector");
  if (!spec || !spec->is_map() || context.is_flagged(spec)) return;
  if (!own) {
    context.refuse(spec, "no `selector`: expected one that matches the labels of the pods");
    return;
  }
  if (!own->is_map()) return;
  check_selector(own, context);
  if (!has_items(get(own, "matchLabels")) && !has_items(get(own, "matchExpressions"))) {
    context.refuse(own, "the selector is empty: it would match every pod");
    return;
  }
  const View labels = get(get(get(spec, "template"), "metadata"), "labels");
  if (selects(own, labels)) return;
  context
      .refuse(labels ? labels : own, labels ? "the labels of the pods do not match the selector"
                                            : "the pods have no labels, so the selector does not "
                                              "match them")
      .also(context.place(own), "the selector");
}

/// More than all pods cannot be gone; more than all can be added.
void share(View value, CheckContext& context) {
  check_share(value, value && value.key() == "maxUnavailable", context);
}

void deployment_strategy(View object, CheckContext& context) {
  constexpr auto types = std::to_array<std::string_view>({"RollingUpdate", "Recreate"});
  const View strategy = get(get(object, "spec"), "strategy");
  const View type = get(strategy, "type");
  context.allow(type, "strategy of a Deployment", types);
  const View rolling = get(strategy, "rollingUpdate");
  if (!rolling) return;
  if (string_of(type) == "Recreate") {
    context.refuse_key(rolling, "`rollingUpdate` does not go with `type: Recreate`");
    return;
  }
  const View surge = get(rolling, "maxSurge");
  const View gone = get(rolling, "maxUnavailable");
  share(surge, context);
  share(gone, context);
  const auto more = int_or_percent_of(surge);
  const auto fewer = int_or_percent_of(gone);
  if (more && fewer && more->value == 0 && fewer->value == 0) {
    context.refuse(gone, "with `maxSurge` and `maxUnavailable` both 0 no pod can be replaced");
  }
}

void daemon_strategy(View object, CheckContext& context) {
  constexpr auto types = std::to_array<std::string_view>({"RollingUpdate", "OnDelete"});
  const View strategy = get(get(object, "spec"), "updateStrategy");
  context.allow(get(strategy, "type"), "update strategy", types);
  const View rolling = get(strategy, "rollingUpdate");
  share(get(rolling, "maxSurge"), context);
  share(get(rolling, "maxUnavailable"), context);
  const View surge = get(rolling, "maxSurge");
  const auto more = int_or_percent_of(surge);
  const auto fewer = int_or_percent_of(get(rolling, "maxUnavailable"));
  const std::int64_t gone = fewer ? fewer->value : 1;  // the default
  if (more && more->value != 0 && gone != 0) {
    context.refuse(surge, "with `maxSurge` above 0 `maxUnavailable` must be 0; left out it is 1");
  } else if (gone == 0 && (!more || more->value == 0)) {
    context.refuse(get(rolling, "maxUnavailable"),
                   "with `maxSurge` and `maxUnavailable` both 0 no pod can be replaced");
  }
}

void stateful_set(View object, CheckContext& context) {
  constexpr auto management = std::to_array<std::string_view>({"OrderedReady", "Parallel"});
  constexpr auto types = std::to_array<std::string_view>({"RollingUpdate", "OnDelete"});
  constexpr auto retention = std::to_array<std::string_view>({"Retain", "Delete"});
  const View spec = get(object, "spec");
  context.name(get(get(object, "metadata"), "name"), "StatefulSet", why_not_dns_label);
  context.name(get(spec, "serviceName"), "Service", why_not_dns_label);
  context.allow(get(spec, "podManagementPolicy"), "pod management policy", management);
  const View strategy = get(spec, "updateStrategy");
  context.allow(get(strategy, "type"), "update strategy", types);
  const View rolling = get(strategy, "rollingUpdate");
  if (rolling && string_at(strategy, "type") == "OnDelete") {
    context.refuse_key(rolling, "`rollingUpdate` does not go with `type: OnDelete`");
  }
  const View partition = get(rolling, "partition");
  if (integer_of(partition).value_or(0) < 0) {
    context.refuse(partition, "`partition` cannot be negative");
  }
  const View start = get(get(spec, "ordinals"), "start");
  if (integer_of(start).value_or(0) < 0) {
    context.refuse(start, "the first number of a pod cannot be negative");
  }
  const View claims = get(spec, "persistentVolumeClaimRetentionPolicy");
  context.allow(get(claims, "whenDeleted"), "retention policy", retention);
  context.allow(get(claims, "whenScaled"), "retention policy", retention);
  for (View claim : items_at(spec, "volumeClaimTemplates")) {
    if (claim->is_map()) check_claim_spec(get(claim, "spec"), claim, context);
  }
}

/// kubernetes/kubernetes pkg/apis/batch/validation/validation.go validateTimeZone
void time_zone(View zone, CheckContext& context) {
  if (!zone || zone.kind() != Kind::String) return;
  if (zone->text.empty()) {
    context.refuse(zone, "the time zone is empty; leave it out for that of the controller");
  } else if (!is_time_zone(zone->text)) {
    Diagnostic& found = context.refuse(zone, "there is no time zone " + shown(zone->text) +
                                                 "; expected a name such as `Europe/Berlin`");
    if (const auto near = similar_time_zone(zone->text)) {
      found.note("did you mean " + shown(*near) + "?");
    }
  }
}

void cron_job(View object, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"Allow", "Forbid", "Replace"});
  const View spec = get(object, "spec");
  const View schedule = get(spec, "schedule");
  if (schedule && schedule.kind() == Kind::String && schedule->text.empty()) {
    context.refuse(schedule, "the schedule is empty; expected one such as `0 * * * *`");
  }
  if (!string_of(schedule).empty()) {
    const bool zone = schedule->text.find("TZ") != std::string_view::npos;
    const Fault fault = zone ? Fault("holds a time zone; that belongs into `timeZone`")
                             : why_no_schedule(schedule->text);
    if (fault) {
      context.refuse(schedule, "schedule " + shown(schedule->text) + " " + *fault);
    }
  }
  time_zone(get(spec, "timeZone"), context);
  context.allow(get(spec, "concurrencyPolicy"), "concurrency policy", policies);
  for (std::string_view key :
       {"startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"}) {
    const View value = get(spec, key);
    if (integer_of(value).value_or(0) < 0) {
      context.refuse(value, shown(key) + " cannot be negative");
    }
  }
  constexpr std::size_t most = 52;  // 11 characters are added to make the names of Jobs
  const View name = get(get(object, "metadata"), "name");
  if (string_of(name).size() > most) {
    context.refuse(name, "the name of a CronJob has at most 52 characters, not " +
                             std::to_string(name->text.size()) +
                             ": a time is added to make the names of its Jobs");
  }
}

constexpr Check kChecks[] = {
    {.name = "workload-selector",
     .group = CheckGroup::Core,
     .on = "apps Deployment ReplicaSet StatefulSet DaemonSet",
     .sentence = "The selector of a workload is not empty and matches the labels of its pods.",
     .source = kSource,
     .object = selector},
    {.name = "deployment-strategy",
     .group = CheckGroup::Core,
     .on = "apps Deployment",
     .sentence = "A Deployment replaces its pods in a way that can go on.",
     .source = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go "
               "ValidateDeploymentStrategy",
     .object = deployment_strategy},
    {.name = "daemon-set-strategy",
     .group = CheckGroup::Core,
     .on = "apps DaemonSet",
     .sentence = "A DaemonSet replaces its pods in a way that can go on.",
     .source = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go "
               "ValidateRollingUpdateDaemonSet",
     .object = daemon_strategy},
    {.name = "stateful-set",
     .group = CheckGroup::Core,
     .on = "apps StatefulSet",
     .sentence =
         "A StatefulSet has a name that its pods can carry, policies that exist, and claims "
         "that say what they want.",
     .source = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go "
               "ValidateStatefulSetSpec",
     .object = stateful_set},
    {.name = "cron-job",
     .group = CheckGroup::Core,
     .on = "batch CronJob",
     .sentence = "A CronJob has a schedule that can be read, and a name to which a time can be "
                 "added.",
     .source = "kubernetes/kubernetes pkg/apis/batch/validation/validation.go validateCronJobSpec",
     .object = cron_job},
};

}  // namespace

constinit const std::span<const Check> workload_checks = kChecks;

}  // namespace trainyard
