#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "admission/schedule.h"
#include "admission/time_zones.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "manifest/ray_objects.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::string_view kJobs = "ray.io RayJob RayCronJob";
constexpr OperatorSpan kRay{.name = "kuberay"};

/// Said of one policy that is applied when a job ends.
void one_policy(View policy, View spec, CheckContext& context) {
  const std::string_view word = string_of(policy);
  const bool of_cluster = word == "DeleteCluster" || word == "DeleteWorkers";
  if (of_cluster && has_items(get(spec, "clusterSelector"))) {
    context.refuse(policy, shown(word) + " would delete what the job did not make");
  } else if (word == "DeleteWorkers" && ray_scales_itself(get(spec, "rayClusterSpec"))) {
    context.refuse(policy, "`DeleteWorkers` does not go with a cluster that scales itself");
  }
}

void deletion_rules(View rules, View spec, CheckContext& context) {
  struct Seen {
    View at;
    std::int64_t seconds;
  };
  std::map<std::string, std::map<std::string_view, Seen>> by_status;
  for (View rule : Items(rules)) {
    const View policy = get(rule, "policy");
    const View condition = get(rule, "condition");
    const View wait = get(condition, "ttlSeconds");
    const std::int64_t seconds = integer_of(wait).value_or(0);
    if (seconds < 0) context.refuse(wait, "`ttlSeconds` cannot be negative");
    one_policy(policy, spec, context);
    const std::string status = std::string(string_at(condition, "jobStatus")) + "/" +
                               std::string(string_at(condition, "jobDeploymentStatus"));
    const auto [first, is_new] =
        by_status[status].emplace(string_of(policy), Seen{policy, seconds});
    if (is_new) continue;
    context
        .refuse(policy ? policy : rule,
                "there is a rule for this status and " + shown(string_of(policy)) + " already")
        .also(context.place(first->second.at), "the first one");
  }
  constexpr auto order =
      std::to_array<std::string_view>({"DeleteWorkers", "DeleteCluster", "DeleteSelf"});
  for (const auto& [status, policies] : by_status) {
    const Seen* before = nullptr;
    std::string_view name;
    for (std::string_view policy : order) {
      const auto at = policies.find(policy);
      if (at == policies.end()) continue;
      if (before != nullptr && at->second.seconds < before->seconds) {
        context.refuse(at->second.at, shown(policy) + " after " +
                                          std::to_string(at->second.seconds) +
                                          " seconds would come before " + shown(name) + " after " +
                                          std::to_string(before->seconds));
      }
      before = &at->second;
      name = policy;
    }
  }
}

void deletion(View object, CheckContext& context) {
  const View spec = ray_job_spec(object);
  const View strategy = get(spec, "deletionStrategy");
  if (!strategy) return;
  const bool shuts_down = is_true(get(spec, "shutdownAfterJobFinishes"));
  const View rules = get(strategy, "deletionRules");
  if (has_items(rules)) {
    if (shuts_down) {
      context.refuse_key(rules, "`deletionRules` do not go with `shutdownAfterJobFinishes: true`");
    }
    deletion_rules(rules, spec, context);
    return;
  }
  for (std::string_view key : {"onSuccess", "onFailure"}) {
    const View end = get(strategy, key);
    const View policy = get(end, "policy");
    if (end && !policy) context.refuse(end, shown(key) + " needs `policy`");
    one_policy(policy, spec, context);
    if (shuts_down && string_of(policy) == "DeleteNone") {
      context.refuse(policy, "`DeleteNone` does not go with `shutdownAfterJobFinishes: true`");
    }
  }
}

/// A text that KubeRay reads as YAML, and that must be a map.
void must_hold_map(View text, CheckContext& context) {
  if (string_of(text).empty()) return;
  const std::string name(text.key());
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(name, std::string(text->text));
  const std::vector<Tree> trees = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  if (sink.has_errors()) {
    if (sink.all().front().kind == DiagnosticKind::EmptyDocument) return;  // comments: as null
    context.refuse(text, shown(name) + " is not YAML: " + sink.all().front().message);
  } else if (!trees.empty() && !trees.front()[trees.front().root()].is_map() &&
             trees.front()[trees.front().root()].kind != Kind::Null) {
    context.refuse(text, shown(name) + " must hold a map");
  }
}

void runtime_environment(View object, CheckContext& context) {
  must_hold_map(get(ray_job_spec(object), "runtimeEnvYAML"), context);
}

void serve_configuration(View object, CheckContext& context) {
  must_hold_map(get(get(object, "spec"), "serveConfigV2"), context);
}

/// A schedule can begin with `TZ=` or `CRON_TZ=` and a time zone, which are taken away.
void time_zone(View schedule, std::string_view& text, CheckContext& context) {
  if (!text.starts_with("TZ=") && !text.starts_with("CRON_TZ=")) return;
  const std::size_t begin = text.find('=') + 1;
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view zone = text.substr(begin, end - begin);
  text.remove_prefix(end);
  if (zone.empty() || zone == "Local" || is_time_zone(zone)) return;
  Diagnostic& report = context.refuse(schedule, shown(zone) + " is no time zone");
  if (const auto near = similar_time_zone(zone)) {
    report.note("`" + std::string(*near) + "` is very likely meant");
  }
}

void cron_job(View object, CheckContext& context) {
  const View schedule = get(get(object, "spec"), "schedule");
  if (!schedule || schedule.kind() != Kind::String) return;
  std::string_view text = schedule->text;
  time_zone(schedule, text, context);
  if (const Fault fault = why_no_schedule(text)) {
    context.refuse(schedule, "schedule " + shown(schedule->text) + " " + *fault);
  }
}

constexpr Check kChecks[] = {
    {.name = "ray-job-deletion",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kJobs,
     .sentence = "What is deleted at the end is the job's own, once, and in an order that works.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/utils/validation.go "
               "validateDeletionConfiguration",
     .object = deletion,
     .operators = {.name = "kuberay", .since = "1.4"}},
    {.name = "ray-runtime-environment",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kJobs,
     .sentence = "`runtimeEnvYAML` holds a map in YAML.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/utils/dashboardclient "
               "UnmarshalRuntimeEnvYAML",
     .object = runtime_environment,
     .operators = kRay},
    {.name = "ray-serve-configuration",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .on = "ray.io RayService",
     .sentence = "`serveConfigV2` holds a map in YAML.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/rayservice_controller.go "
               "updateServeDeployment",
     .object = serve_configuration,
     .operators = kRay},
    {.name = "ray-cron-job",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "ray.io RayCronJob",
     .sentence = "A RayCronJob has a schedule that can be read.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/utils/validation.go "
               "ValidateRayCronJobSpec",
     .object = cron_job,
     .operators = {.name = "kuberay", .since = "1.6"}},
};

}  // namespace

constinit const std::span<const Check> ray_checks = kChecks;

}  // namespace trainyard
