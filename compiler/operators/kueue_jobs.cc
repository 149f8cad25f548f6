#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/kueue_queued_jobs.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

// What Kueue's webhooks want of the jobs that it queues.

namespace trainyard {
namespace {

using namespace kueue;

constexpr std::string_view kGated =
    "core Pod; batch Job; apps Deployment StatefulSet; jobset.x-k8s.io JobSet; "
    "leaderworkerset.x-k8s.io LeaderWorkerSet; trainer.kubeflow.org TrainJob; kubeflow.org "
    "PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob; ray.io RayCluster RayJob RayService; "
    "kueue.x-k8s.io Workload";

constexpr std::string_view kSource =
    "kubernetes-sigs/kueue pkg/controller/jobframework/validation.go";

/// Kinds that keep pods running: of their labels Kueue reads the queue.
bool is_serving(View object) {
  constexpr auto kinds =
      std::to_array<std::string_view>({"Deployment", "StatefulSet", "LeaderWorkerSet"});
  return std::ranges::find(kinds, string_at(object, "kind")) != kinds.end();
}

void job_labels(View object, CheckContext& context) {
  name_in(prebuilt_of(object), "Workload", context);
  const View longest = label(object, "kueue.x-k8s.io/max-exec-time-seconds");
  if (longest && longest.kind() == Kind::String) {
    const auto seconds = go_integer(longest->text);
    if (!seconds || *seconds <= 0) {
      context.refuse(longest, "`kueue.x-k8s.io/max-exec-time-seconds` is " + shown(longest->text) +
                                  "; expected a number above 0");
    }
  }
}

void queue_labels(View object, CheckContext& context) {
  if (is_passed_over(object) || is_in_given_cluster(object)) return;
  name_in(label(object, kQueueName), "LocalQueue", context);
  if (!is_serving(object)) job_labels(object, context);
  const std::string_view kind = string_at(object, "kind");
  constexpr auto elastic =
      std::to_array<std::string_view>({"Job", "RayCluster", "RayJob", "RayService"});
  const bool can_be = std::ranges::find(elastic, kind) != elastic.end();
  if (is_elastic(object) && !can_be && reads_elastic(context)) {
    context.refuse(annotation(object, kElastic),
                   "a " + std::string(kind) +
                       " cannot be elastic under Kueue; expected a Job, a "
                       "RayCluster, a RayJob or a RayService");
  }
}

void elastic_topology(View object, CheckContext& context) {
  if (!is_elastic(object)) return;
  const View holder = get(get(object, "spec"), "template");
  for (std::string_view key :
       {"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology"}) {
    if (const View at = annotation(holder, key)) {
      context.refuse_key(at, shown(key) +
                                 " does not go with an elastic job; "
                                 "`kueue.x-k8s.io/podset-unconstrained-topology` does");
    }
  }
}

/// `example.com/path`: a domain and a path behind it.
bool is_domain_path(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) return false;
  if (why_not_subdomain(text.substr(0, slash))) return false;
  return std::ranges::all_of(text.substr(slash + 1), [](char c) {
    return is_alphanumeric(c) ||
           std::string_view("/-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
  });
}

void gates(View object, CheckContext& context) {
  if (is_passed_over(object) || is_in_given_cluster(object)) return;
  const View value = annotation(object, "kueue.x-k8s.io/admission-gated-by");
  if (string_of(value).empty()) return;
  std::vector<std::string_view> seen;
  std::string_view rest = value->text;
  while (true) {
    const std::size_t end = rest.find(',');
    std::string_view gate = rest.substr(0, end);
    while (gate.starts_with(' ')) gate.remove_prefix(1);
    while (gate.ends_with(' ')) gate.remove_suffix(1);
    std::string fault;
    if (gate.empty()) {
      fault = "a name between its commas is empty";
    } else if (std::ranges::find(seen, gate) != seen.end()) {
      fault = shown(gate) + " comes twice";
    } else if (!is_domain_path(gate)) {
      fault = shown(gate) + " is no name of a gate; expected one such as `example.com/gate`";
    } else if (gate.size() > kLabelSize) {
      fault = shown(gate) + " has more than 63 characters";
    }
    if (!fault.empty()) {
      context.refuse(value, "`kueue.x-k8s.io/admission-gated-by` names gates: " + fault);
      return;
    }
    seen.push_back(gate);
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
}

void partial_admission(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const std::int64_t parallelism = integer_at(spec, "parallelism").value_or(1);
  const View completions = get(spec, "completions");
  const View least = annotation(object, kLeast);
  const View before = context.old();
  const View old_least = before ? annotation(before, kLeast) : View();
  // Kueue itself lowers the parallelism of a job that it admits in part.
  const bool is_new = !old_least || string_of(old_least) != string_of(least);
  if (least && is_new && least.kind() == Kind::String) {
    const std::int64_t pods = std::min(parallelism, integer_of(completions).value_or(parallelism));
    const auto number = go_integer(least->text);
    if (!number || *number <= 0 || *number >= pods) {
      context.refuse(
          least, "`kueue.x-k8s.io/job-min-parallelism` is " + shown(least->text) +
                     (pods > 1 ? "; the job has " + std::to_string(pods) +
                                     " pods at a time, so expected 1 to " + std::to_string(pods - 1)
                               : "; the job has one pod at a time, and cannot have "
                                 "fewer"));
    } else if (is_elastic(object) && reads_elastic(context)) {
      context.refuse(least, "an elastic job cannot also be admitted with fewer pods");
    }
  }
  const View equal = annotation(object, "kueue.x-k8s.io/job-completions-equal-parallelism");
  if (!equal || equal.kind() != Kind::String) return;
  const auto on = go_bool(equal->text);
  if (!on) {
    context.refuse(equal, "`kueue.x-k8s.io/job-completions-equal-parallelism` is " +
                              shown(equal->text) + "; expected `true` or `false`");
  } else if (*on && string_at(spec, "completionMode") != "Indexed") {
    context.refuse(equal,
                   "only for a Job with `completionMode: Indexed` can completions follow "
                   "the parallelism");
  } else if (*on && integer_of(completions).value_or(1) != parallelism) {
    context.refuse(completions ? completions : spec,
                   "`completions` must equal `parallelism`, " + std::to_string(parallelism) +
                       ", as `kueue.x-k8s.io/job-completions-equal-parallelism` says");
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-labels",
     .group = CheckGroup::Queue,
     .on = kQueued,
     .sentence = "The labels that Kueue reads hold valid names and numbers.",
     .source = kSource,
     .object = queue_labels,
     .operators = kKueue},
    {.name = "kueue-admission-gates",
     .group = CheckGroup::Queue,
     .on = kGated,
     .sentence = "The gates that hold a job back have different names with a domain.",
     .source = "kubernetes-sigs/kueue pkg/util/webhook/validation_admissiongatedby.go",
     .object = gates,
     .operators = {.name = "kueue", .since = "0.19"}},
    {.name = "kueue-partial-admission",
     .group = CheckGroup::Queue,
     .on = "batch Job",
     .sentence = "A Job that may start with fewer pods has more than that, and completions that "
                 "follow are indexed.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/job/job_webhook.go",
     .object = partial_admission,
     .operators = kKueue},
    {.name = "kueue-elastic-topology",
     .group = CheckGroup::Queue,
     .on = "batch Job",
     .sentence = "A Job that grows and shrinks is not bound to a level of a topology.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/job/job_webhook.go",
     .object = elastic_topology,
     .operators = {.name = "kueue", .since = "0.18"}},
};

}  // namespace

constinit const std::span<const Check> kueue_job_checks = kChecks;

}  // namespace trainyard
