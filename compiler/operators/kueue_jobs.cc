#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// What Kueue's webhooks want of the jobs that it queues.

constexpr std::string_view kQueued =
    "core Pod; batch Job; apps Deployment StatefulSet; jobset.x-k8s.io JobSet; "
    "leaderworkerset.x-k8s.io LeaderWorkerSet; trainer.kubeflow.org TrainJob; kubeflow.org "
    "PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob; ray.io RayCluster RayJob RayService";
constexpr std::string_view kGated =
    "core Pod; batch Job; apps Deployment StatefulSet; jobset.x-k8s.io JobSet; "
    "leaderworkerset.x-k8s.io LeaderWorkerSet; trainer.kubeflow.org TrainJob; kubeflow.org "
    "PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob; ray.io RayCluster RayJob RayService; "
    "kueue.x-k8s.io Workload";
/// Kinds that say themselves whether they run.
constexpr std::string_view kChanging =
    "core Pod; batch Job; jobset.x-k8s.io JobSet; trainer.kubeflow.org TrainJob; kubeflow.org "
    "PyTorchJob "
    "TFJob XGBoostJob PaddleJob JAXJob MPIJob; ray.io RayCluster RayJob RayService";
constexpr std::string_view kSource =
    "kubernetes-sigs/kueue pkg/controller/jobframework/validation.go";
constexpr std::string_view kGroup = "kueue.x-k8s.io";
constexpr OperatorSpan kKueue{.name = "kueue"};

constexpr std::string_view kQueueName = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kPrebuilt = "kueue.x-k8s.io/prebuilt-workload-name";
constexpr std::string_view kElastic = "kueue.x-k8s.io/elastic-job";
constexpr std::string_view kGroupName = "kueue.x-k8s.io/pod-group-name";
constexpr std::string_view kGroupTotal = "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view kLeast = "kueue.x-k8s.io/job-min-parallelism";

bool is_elastic(View object) {
  return string_of(annotation(object, kElastic)) == "true";
}
/// Before 0.18 Kueue reads the annotation with feature gate `ElasticJobsViaWorkloadSlices` only.
bool reads_elastic(const CheckContext& context) {
  return context.versions().within({.name = "kueue", .since = "0.18"});
}
bool is_queued(View object) {
  return !string_of(label(object, kQueueName)).empty();
}

/// A label that holds the name of an object. An empty one is no name.
void name_in(View at, std::string_view what, CheckContext& context) {
  if (!at || at.kind() != Kind::String) return;
  if (const Fault fault = why_not_subdomain(at->text)) {
    context.refuse(at, "there can be no " + std::string(what) + " " + shown(at->text) +
                           ": the name " + (at->text.empty() ? "is empty" : *fault));
  }
}

/// The Workload that is there already: the annotation before the label, as of Kueue 0.18.
View prebuilt_of(View object) {
  const View own = annotation(object, kPrebuilt);
  return string_of(own).empty() ? label(object, kPrebuilt) : own;
}

/// The MPIJob of the training operator is none of Kueue's, and what serves may be a part of
/// something else that is.
bool is_passed_over(View object) {
  const std::string_view kind = string_at(object, "kind");
  if (kind == "MPIJob") return string_at(object, "apiVersion") == "kubeflow.org/v1";
  if (kind != "StatefulSet") return false;
  const View holder = get(get(object, "spec"), "template");
  const View parent = annotation(holder, "kueue.x-k8s.io/pod-suspending-parent");
  return parent && string_of(parent) != "statefulset";
}

/// A RayJob in a cluster that is there already, which Kueue does not look at any further.
bool is_in_given_cluster(View object) {
  const View spec = get(object, "spec");
  return string_at(object, "kind") == "RayJob" && is_queued(object) &&
         has_items(get(spec, "clusterSelector"));
}

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

/// Where Kueue makes every Workload itself.
void no_prebuilt(View object, CheckContext& context) {
  const View own = prebuilt_of(object);
  if (string_of(own).empty()) return;
  context.refuse(own, "Kueue takes no Workload that is there already for a " +
                          std::string(string_at(object, "kind")));
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
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
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

void pod_group(View object, CheckContext& context) {
  const View managed = label(object, "kueue.x-k8s.io/managed");
  const bool is_filled_in = is_queued(object) && !context.old();
  if (managed && !is_filled_in && managed.kind() == Kind::String && managed->text != "true") {
    context.refuse(managed, "`kueue.x-k8s.io/managed` can only be `true`");
  }
  View name = annotation(object, kGroupName);
  if (string_of(name).empty()) name = label(object, kGroupName);
  const View total = annotation(object, kGroupTotal);
  if (string_of(name).empty()) {
    if (total) {
      context.refuse_key(total,
                         "a pod with `kueue.x-k8s.io/pod-group-total-count` needs the label "
                         "`kueue.x-k8s.io/pod-group-name`");
    }
    return;
  }
  name_in(name, "pod group", context);
  if (!total) {
    context.refuse(name,
                   "a pod of a group needs the annotation "
                   "`kueue.x-k8s.io/pod-group-total-count`");
    return;
  }
  const auto count = go_integer(string_of(total));
  if (!count || *count < 1) {
    context.refuse(total, "`kueue.x-k8s.io/pod-group-total-count` is " + shown(total->text) +
                              "; expected a number above 0");
  }
  const View prebuilt = prebuilt_of(object);
  if (!string_of(prebuilt).empty() && prebuilt->text != name->text) {
    context.refuse(prebuilt, "the Workload of a pod group has its name, " + shown(name->text));
  }
}

std::string_view group_of_pod(View pod) {
  const std::string_view own = string_of(annotation(pod, kGroupName));
  return own.empty() ? string_of(label(pod, kGroupName)) : own;
}

/// What pods of a group say that must be the same in all.
struct GroupMember {
  View total;
  std::string_view queue;
};
GroupMember member_of(View pod) {
  return {annotation(pod, kGroupTotal), string_of(label(pod, kQueueName))};
}

void pod_group_index(View object, CheckContext& context) {
  const View index = label(object, "kueue.x-k8s.io/pod-group-pod-index");
  const auto total = go_integer(string_of(annotation(object, kGroupTotal)));
  if (!index || !total || *total < 1 || group_of_pod(object).empty()) return;
  const auto number = go_integer(string_of(index));
  if (number && *number >= 0 && *number < *total) return;
  context.refuse(index, "`kueue.x-k8s.io/pod-group-pod-index` is " + shown(index->text) +
                            "; expected 0 to " + std::to_string(*total - 1));
}

/// One that gets its name from the server is found by nothing; what all have to say it is asked
/// for.
void nameless_member(View object, std::string_view group, const Inventory& around,
                     CheckContext& context) {
  const View total = annotation(object, kGroupTotal);
  for (View each : around.all("", "Pod")) {
    if (metadata_namespace(each) != metadata_namespace(object) || group_of_pod(each) != group) {
      continue;
    }
    const View first = annotation(each, kGroupTotal);
    if (!total || !first || first->text == total->text) return;
    context
        .refuse(total, shown(kGroupTotal) + " is " + shown(total->text) +
                           ", and in another pod of the same group " + shown(first->text))
        .also(context.place(first), "the other one");
    return;
  }
}

void pod_group_members(View object, CheckContext& context) {
  pod_group_index(object, context);
  const std::string_view group = group_of_pod(object);
  const View name = metadata_name(object);
  const Inventory* around = context.inventory();
  if (group.empty() || around == nullptr) return;
  if (string_of(name).empty()) {
    nameless_member(object, group, *around, context);
    return;
  }
  const auto total = go_integer(string_of(annotation(object, kGroupTotal)));
  View first;
  std::int64_t before = 0;
  std::int64_t all = 1;
  bool is_behind = false;
  for (View each : around->all("", "Pod")) {
    const bool own = string_of(metadata_name(each)) == name->text;
    if (metadata_namespace(each) != metadata_namespace(object) || group_of_pod(each) != group) {
      continue;
    }
    is_behind = is_behind || own;
    if (own) continue;
    ++all;
    if (is_behind) continue;
    ++before;
    if (!first) first = each;
  }
  const GroupMember here = member_of(object);
  if (!first) {
    const bool part = total && all > 1 && all < *total;
    if (!part || annotation(object, "kueue.x-k8s.io/pod-group-fast-admission")) return;
    context.warn(here.total, "group " + shown(group) + " waits for " + std::to_string(*total) +
                                 " pods, and " + std::to_string(all) + " are given");
    return;
  }
  const GroupMember there = member_of(first);
  const std::string other = "pod " + shown(string_of(metadata_name(first))) + " of the same group";
  if (here.queue != there.queue) {
    const View queue = label(object, kQueueName);
    context.refuse(queue ? queue : name, "the queue is " + shown(here.queue) + ", and that of " +
                                             other + " " + shown(there.queue));
  } else if (here.total && there.total && here.total->text != there.total->text) {
    context
        .refuse(here.total, shown(kGroupTotal) + " is " + shown(here.total->text) + ", and in " +
                                other + " " + shown(there.total->text))
        .also(context.place(there.total), "the other one");
  } else if (total && before >= *total) {
    context.refuse(name, "group " + shown(group) + " has " + std::to_string(*total) +
                             " pods already: Kueue deletes this one");
  }
}

/// The spec of a Ray cluster in an object of `ray.io`.
View ray_cluster(View object) {
  const View spec = get(object, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "RayJob") return get(spec, "rayClusterSpec");
  return kind == "RayService" ? get(spec, "rayClusterConfig") : spec;
}

void ray_cluster_rules(View object, View cluster, CheckContext& context) {
  const View scaling = get(cluster, "enableInTreeAutoscaling");
  if (is_true(scaling) && !is_elastic(object)) {
    context.refuse(scaling,
                   "under Kueue only an elastic cluster can scale itself: with annotation "
                   "`kueue.x-k8s.io/elastic-job: \"true\"`");
  }
  const View groups = get(cluster, "workerGroupSpecs");
  constexpr std::uint32_t most = 17;  // a Workload has at most 18 pod sets, one for the head
  if (groups && groups->size > most) {
    context.refuse(groups, "under Kueue a cluster has at most 17 groups of workers, not " +
                               std::to_string(groups->size));
  }
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    const View name = get(group, "groupName");
    if (string_of(name) == "head") {
      context.refuse(name, "`head` is Kueue's name for the head; call the workers otherwise");
    }
  }
}

void ray(View object, CheckContext& context) {
  if (!is_queued(object)) return;
  const View spec = get(object, "spec");
  const View cluster = ray_cluster(object);
  if (string_at(object, "kind") == "RayJob") {
    const View selector = get(spec, "clusterSelector");
    if (has_items(selector)) {
      if (cluster) {
        context.refuse(selector,
                       "a job that Kueue queues cannot run in a cluster that is there "
                       "already: leave `clusterSelector` out");
      }
      return;
    }
    if (cluster && !is_true(get(spec, "shutdownAfterJobFinishes"))) {
      const View own = get(spec, "shutdownAfterJobFinishes");
      context.refuse(own ? own : spec,
                     "a job that Kueue queues must give its cluster back at the "
                     "end: `shutdownAfterJobFinishes: true`");
    }
  }
  if (cluster) ray_cluster_rules(object, cluster, context);
  const View manager = get(spec, "managedBy");
  if (string_at(object, "kind") == "RayCluster" && is_elastic(object) &&
      is_true(get(cluster, "enableInTreeAutoscaling")) &&
      string_of(manager) == "kueue.x-k8s.io/multikueue") {
    context.refuse(get(cluster, "enableInTreeAutoscaling"),
                   "a cluster that MultiKueue sends elsewhere cannot scale itself");
  }
}

/// The priority class of a job: one that there can be, and that is among what is given.
void priority_exists(View priority, const Inventory* around, CheckContext& context) {
  if (string_of(priority).empty()) return;
  std::string fault;
  if (const Fault name = why_not_subdomain(priority->text)) {
    fault =
        "there can be no WorkloadPriorityClass " + shown(priority->text) + ": the name " + *name;
  } else if (around != nullptr && around->has_any(kGroup, "WorkloadPriorityClass") &&
             !around->has(kGroup, "WorkloadPriorityClass", "", priority->text)) {
    fault = "there is no WorkloadPriorityClass " + shown(priority->text) +
            " among those that are given";
  }
  if (fault.empty()) return;
  context.warn(priority, fault)
      .note("without it Kueue makes no Workload, and the job stays suspended");
}

void queue_exists(View object, CheckContext& context) {
  const Inventory* around = context.inventory();
  priority_exists(label(object, "kueue.x-k8s.io/priority-class"), around, context);
  const View queue = label(object, kQueueName);
  if (string_of(queue).empty() || around == nullptr) return;
  const std::string_view space = metadata_namespace(object);
  if (around->has_any(kGroup, "LocalQueue") &&
      !around->has(kGroup, "LocalQueue", space, queue->text)) {
    context
        .warn(queue, "there is no LocalQueue " + shown(queue->text) +
                         (space.empty() ? "" : " in namespace " + shown(space)) +
                         " among those that are given")
        .note("the job waits until there is one");
  }
}

constexpr auto kQueuedWhole = std::to_array<std::string_view>(
    {"Job", "JobSet", "LeaderWorkerSet", "TrainJob", "PyTorchJob", "TFJob", "XGBoostJob",
     "PaddleJob", "JAXJob", "MPIJob", "RayCluster", "RayJob", "RayService"});

/// A label that was very likely meant to name the queue.
bool looks_like_queue(std::string_view key) {
  constexpr auto real = std::to_array<std::string_view>(
      {kQueueName, "kueue.x-k8s.io/local-queue-name", "kueue.x-k8s.io/cluster-queue-name"});
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos || !key.starts_with("kueue.")) return false;
  return key.substr(slash).find("queue") != std::string_view::npos &&
         std::ranges::find(real, key) == real.end();
}

void queue_key(View object, CheckContext& context) {
  if (is_queued(object)) return;
  for (View entry : entries_at(get(object, "metadata"), "labels")) {
    if (!looks_like_queue(entry.key())) continue;
    context.lint(entry, "Kueue does not know the label " + shown(entry.key()) +
                            "; the queue of a job stands in " + shown(kQueueName));
  }
  // Kueue 0.8 still reads it, as deprecated: pkg/controller/jobframework/interface.go.
  const View noted = get(get(get(object, "metadata"), "annotations"), kQueueName);
  if (string_of(noted).empty()) return;
  context.lint(noted, "the queue of a job stands in the label " + shown(kQueueName) +
                          "; Kueue passes over an annotation");
}

/// Kueue admits the job as a whole, by its own label.
void queue_on_pods(const Pod& pod, CheckContext& context) {
  const View object = context.object();
  const bool whole =
      std::ranges::find(kQueuedWhole, string_at(object, "kind")) != kQueuedWhole.end();
  if (!whole || is_queued(object)) return;
  const View at = get(get(pod.metadata, "labels"), kQueueName);
  if (string_of(at).empty()) return;
  context.lint(
      at, "the label " + shown(kQueueName) + " stands on the pods, and the job itself has none");
}

/// A pod that Kueue holds back, or that has ended.
bool is_held_back(View pod, View before) {
  const View own = get(get(pod, "spec"), "schedulingGates");
  const View gates = own ? own : get(get(before, "spec"), "schedulingGates");
  for (View gate : gates && gates->is_seq() ? Items(gates) : Items()) {
    if (string_at(gate, "name") == "kueue.x-k8s.io/admission") return true;
  }
  const std::string_view phase = string_at(get(before, "status"), "phase");
  return phase == "Succeeded" || phase == "Failed";
}

/// Where kinds say that they do not run. What the new object leaves out stays as it was.
bool is_suspended(View object, View before) {
  if (string_at(object, "kind") == "Pod") return is_held_back(object, before);
  const auto own = [](View from) {
    const View spec = get(from, "spec");
    for (std::string_view holder : {"runPolicy", "rayClusterConfig"}) {
      if (const View suspend = get(get(spec, holder), "suspend")) return suspend;
    }
    return get(spec, "suspend");
  };
  const View stated = own(object);
  return is_true(stated ? stated : own(before));
}

/// A value of the new object differs from that of the one before; an absent one is empty.
bool differs(View now, View before) {
  return string_of(now) != string_of(before);
}

void stays(View object, View now, View before, std::string_view key, CheckContext& context) {
  if (!differs(now, before)) return;
  const std::string was =
      string_of(before).empty() ? "was not set" : "was " + shown(string_of(before));
  context.refuse(now ? now : get(object, "metadata"),
                 shown(key) + " " + was + ", and does not change while the job is not suspended");
}

/// The names in a list with commas.
std::vector<std::string_view> gate_names(View value) {
  std::vector<std::string_view> names;
  std::string_view rest = string_of(value);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, end);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) names.push_back(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

void added_gates(View object, View before, CheckContext& context) {
  constexpr std::string_view key = "kueue.x-k8s.io/admission-gated-by";
  const View now = annotation(object, key);
  const std::vector<std::string_view> old = gate_names(annotation(before, key));
  for (std::string_view gate : gate_names(now)) {
    if (std::ranges::find(old, gate) != old.end()) continue;
    context.refuse(now,
                   "gate " + shown(gate) + " is new: gates of a job that is there can only go");
    return;
  }
}

void gate_changes(View object, CheckContext& context) {
  if (const View before = context.old()) added_gates(object, before, context);
}

void job_changes(View object, View before, bool runs, bool ran, CheckContext& context) {
  if (string_at(object, "kind") != "Job" || !ran) return;
  constexpr std::string_view equal = "kueue.x-k8s.io/job-completions-equal-parallelism";
  const View now = get(get(object, "spec"), "parallelism");
  const auto was = integer_at(get(before, "spec"), "parallelism").value_or(1);
  if (annotation(before, kLeast) && integer_of(now).value_or(1) != was) {
    context.refuse(now ? now : get(object, "spec"),
                   "`parallelism` was " + std::to_string(was) +
                       ", and stays while a Job runs that may be admitted in part");
  }
  const auto follows = [&](View each) {
    return go_bool(string_of(annotation(each, equal))).value_or(false);
  };
  if (runs && follows(object) != follows(before)) {
    stays(object, annotation(object, equal), annotation(before, equal), equal, context);
  }
}

void pod_changes(View object, View before, CheckContext& context) {
  if (string_at(object, "kind") != "Pod") return;
  constexpr std::string_view retriable = "kueue.x-k8s.io/retriable-in-group";
  const std::string_view group = group_of_pod(object);
  const std::string_view old_group = group_of_pod(before);
  const View metadata = get(object, "metadata");
  if (!old_group.empty() && group != old_group) {
    context.refuse(metadata, "the pod is of group " + shown(old_group) + ", and stays in it");
  }
  const View now = annotation(object, retriable);
  if (!group.empty() && string_of(annotation(before, retriable)) == "false" &&
      string_of(now) != "false") {
    context.refuse(
        now ? now : metadata,
        shown(retriable) + " was `false`, and stays for as long as the pod is in a group");
  }
}

/// pkg/controller/jobs/rayservice/rayservice_webhook.go ValidateUpdate was read in 0.19.
bool checks_changes(View object, const CheckContext& context) {
  return string_at(object, "kind") != "RayService" ||
         context.versions().within({.name = "kueue", .since = "0.19"});
}

void changes(View object, CheckContext& context) {
  const View before = context.old();
  if (is_passed_over(object) || !checks_changes(object, context)) return;
  const bool queued = is_queued(object) || (before && is_queued(before));
  if (string_at(object, "apiVersion").starts_with("ray.io/") && !queued) return;
  if (!before) return;
  if (is_elastic(object) != is_elastic(before) && reads_elastic(context)) {
    const View now = annotation(object, kElastic);
    context.refuse(now ? now : get(object, "metadata"),
                   shown(kElastic) + " does not change once the job is there");
    return;
  }
  constexpr std::string_view priority = "kueue.x-k8s.io/priority-class";
  constexpr std::string_view longest = "kueue.x-k8s.io/max-exec-time-seconds";
  const bool runs = !is_suspended(object, before);
  const bool ran = !is_suspended(before, before);
  if (runs) {
    stays(object, label(object, kQueueName), label(before, kQueueName), kQueueName, context);
    if (!is_elastic(before)) {
      stays(object, prebuilt_of(object), prebuilt_of(before), kPrebuilt, context);
    }
  }
  if (runs || ran) stays(object, label(object, longest), label(before, longest), longest, context);
  const View now = label(object, priority);
  const bool had = !string_of(label(before, priority)).empty();
  const bool has = !string_of(now).empty();
  if (had && !has) {
    context.refuse(now ? now : get(object, "metadata"),
                   shown(priority) + " was " + shown(string_of(label(before, priority))) +
                       ", and cannot be taken away; expected it or another class");
  } else if (!had && has && runs) {
    context.refuse(now, shown(priority) + " cannot be added while the job is not suspended");
  }
  added_gates(object, before, context);
  job_changes(object, before, runs, ran, context);
  pod_changes(object, before, context);
}

/// What the containers of a pod ask for; a limit is a request where there is none.
std::map<std::string_view, Quantity> requests_of(View container) {
  std::map<std::string_view, Quantity> amounts;
  const View resources = get(container, "resources");
  for (std::string_view list : {"requests", "limits"}) {
    for (View entry : entries_at(resources, list)) {
      const auto amount = entry->is_scalar() ? Quantity::parse(entry->text) : std::nullopt;
      if (amount) amounts.emplace(entry.key(), *amount);
    }
  }
  return amounts;
}

/// Whether a part of a pod says something else than before; what is gone is a change as well.
bool is_other(View now, View before) {
  constexpr auto filled = std::to_array<std::string_view>({"protocol"});
  const bool said = before && (before->is_scalar() || has_items(before));
  return now ? bool(changed(before, now, {{}, filled})) : said;
}

/// The first place at which two lists of containers are not of one shape.
View changed_containers(View now, View before) {
  if (!now || !before) return now ? now : before;
  if (now->size != before->size) return now;
  auto old = Items(before).begin();
  for (View container : Items(now)) {
    if (requests_of(container) != requests_of(*old)) return container;
    const View ports = get(container, "ports");
    if (is_other(ports, get(*old, "ports"))) return ports ? ports : container;
    ++old;
  }
  return {};
}

/// The first place at which the pods of two templates would need other nodes, so that the Workload
/// which was admitted is not theirs.
View changed_shape(View now, View before) {
  for (std::string_view key : {"initContainers", "containers"}) {
    if (const View at = changed_containers(get(now, key), get(before, key))) return at;
  }
  for (std::string_view key :
       {"nodeSelector", "affinity", "tolerations", "runtimeClassName", "priority",
        "topologySpreadConstraints", "overhead", "resourceClaims"}) {
    const View own = get(now, key);
    if (is_other(own, get(before, key))) return own ? own : now;
  }
  return {};
}

/// The requests of a pod as a whole, which count as of Kueue 0.19.
View changed_requests(View now, View before) {
  const View own = get(now, "resources");
  return requests_of(now) == requests_of(before) ? View() : own ? own : now;
}

void template_stays(View now, View before, CheckContext& context) {
  if (!now || !before) return;
  const View spec = get(now, "spec");
  View at = changed_shape(spec, get(before, "spec"));
  if (!at && context.versions().within({.name = "kueue", .since = "0.19"})) {
    at = changed_requests(spec, get(before, "spec"));
  }
  if (!at) return;
  if (&at.tree() != &now.tree()) at = now;  // it is gone
  context.refuse(at, "what the pods need of their nodes does not change while Kueue queues them");
}

/// Whether the groups of a LeaderWorkerSet have leaders of their own is settled.
void leaders_stay(View holder, View before, CheckContext& context) {
  const View now = get(holder, "leaderTemplate");
  if (static_cast<bool>(now) == static_cast<bool>(get(before, "leaderTemplate"))) return;
  context.refuse(now ? now : holder,
                 "`leaderTemplate` does not come or go while Kueue queues the groups");
}

void serving_stays(View object, CheckContext& context) {
  const View before = context.old();
  if (!before || is_passed_over(object)) return;
  constexpr std::string_view priority = "kueue.x-k8s.io/priority-class";
  const bool runs = integer_at(get(before, "status"), "readyReplicas").value_or(0) > 0;
  const View queue = label(object, kQueueName);
  const View old_queue = label(before, kQueueName);
  if (differs(queue, old_queue) && (runs || string_of(queue).empty())) {
    context.refuse(queue ? queue : get(object, "metadata"),
                   shown(kQueueName) + " was " + shown(string_of(old_queue)) +
                       (string_of(queue).empty() ? ", and cannot be taken away"
                                                 : ", and does not change while pods are ready"));
  }
  const View own = label(object, priority);
  if (string_of(own).empty() && !string_of(label(before, priority)).empty()) {
    context.refuse(own ? own : get(object, "metadata"), shown(priority) + " cannot be taken away");
  } else if (runs && !string_of(own).empty() && string_of(label(before, priority)).empty()) {
    context.refuse(own, shown(priority) + " cannot be added while pods are ready");
  }
  if (!is_queued(object)) return;
  const View spec = get(object, "spec");
  const View old_spec = get(before, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "StatefulSet") {
    const View replicas = get(spec, "replicas");
    const std::int64_t now = integer_of(replicas).value_or(1);
    const std::int64_t was = integer_at(old_spec, "replicas").value_or(1);
    if (now != was && now != 0 && was != 0) {
      context.refuse(replicas ? replicas : spec,
                     "`replicas` was " + std::to_string(was) +
                         ": while Kueue queues a StatefulSet it goes to 0 first");
    }
    template_stays(get(spec, "template"), get(old_spec, "template"), context);
  } else if (kind == "LeaderWorkerSet") {
    const View holder = get(spec, "leaderWorkerTemplate");
    const View old_holder = get(old_spec, "leaderWorkerTemplate");
    leaders_stay(holder, old_holder, context);
    for (std::string_view key : {"leaderTemplate", "workerTemplate"}) {
      template_stays(get(holder, key), get(old_holder, key), context);
    }
    const View size = get(holder, "size");
    const bool same = integer_of(size).value_or(1) == integer_at(old_holder, "size").value_or(1);
    if (!same && context.versions().within({.name = "kueue", .since = "0.19"})) {
      context.refuse(size ? size : holder, "`size` does not change while Kueue queues the groups");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-serving-stays",
     .on = "apps Deployment StatefulSet; leaderworkerset.x-k8s.io LeaderWorkerSet",
     .sentence =
         "What Kueue queues of pods that serve keeps its queue, its priority class and what "
         "its pods need.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/statefulset/statefulset_webhook.go, "
               "pkg/controller/jobs/leaderworkerset/leaderworkerset_webhook.go, "
               "pkg/controller/jobs/deployment/deployment_webhook.go ValidateUpdate",
     .object = serving_stays,
     .operators = {.name = "kueue", .since = "0.14"}},
    {.name = "kueue-changes",
     .on = kChanging,
     .sentence = "What Kueue has admitted keeps its queue, its limit and its priority class.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/validation.go "
               "ValidateJobOnUpdate; pkg/controller/jobs/job/job_webhook.go, "
               "pkg/controller/jobs/rayservice/rayservice_webhook.go, "
               "pkg/controller/jobs/pod/pod_webhook.go ValidateUpdate",
     .object = changes,
     .operators = kKueue},
    {.name = "kueue-gates-only-go",
     .on = "apps Deployment StatefulSet; leaderworkerset.x-k8s.io LeaderWorkerSet; kueue.x-k8s.io "
           "Workload",
     .sentence = "No gate is added that holds back what Kueue has seen already.",
     .source = "kubernetes-sigs/kueue pkg/util/webhook/validation_admissiongatedby.go",
     .object = gate_changes,
     .operators = {.name = "kueue", .since = "0.19"}},
    {.name = "kueue-labels",
     .on = kQueued,
     .sentence = "The labels that Kueue reads hold names and numbers that there can be.",
     .source = kSource,
     .object = queue_labels,
     .operators = kKueue},
    {.name = "kueue-admission-gates",
     .on = kGated,
     .sentence = "The gates that hold a job back have different names with a domain.",
     .source = "kubernetes-sigs/kueue pkg/util/webhook/validation_admissiongatedby.go",
     .object = gates,
     .operators = {.name = "kueue", .since = "0.19"}},
    {.name = "kueue-partial-admission",
     .on = "batch Job",
     .sentence = "A Job that may start with fewer pods has more than that, and completions that "
                 "follow are indexed.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/job/job_webhook.go",
     .object = partial_admission,
     .operators = kKueue},
    {.name = "kueue-elastic-topology",
     .on = "batch Job",
     .sentence = "A Job that grows and shrinks is not bound to a level of a topology.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/job/job_webhook.go",
     .object = elastic_topology,
     .operators = {.name = "kueue", .since = "0.18"}},
    {.name = "kueue-pod-group",
     .on = "core Pod",
     .sentence = "A pod of a group names it and says how many pods it has.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/pod/pod_webhook.go",
     .object = pod_group,
     .operators = kKueue},
    {.name = "kueue-pod-group-members",
     .on = "core Pod",
     .sentence = "The pods of a group agree on its queue and its size, and are as many.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/pod/pod_controller.go "
               "validatePodGroupMetadata, removeExcessPods",
     .object = pod_group_members,
     .operators = kKueue},
    {.name = "kueue-no-prebuilt",
     .on = "kubeflow.org JAXJob",
     .sentence = "A job for which Kueue makes every Workload itself names none.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/validation.go "
               "supportedPrebuiltWlJobGVKs",
     .object = no_prebuilt,
     .operators = kKueue},
    {.name = "kueue-ray",
     .on = "ray.io RayCluster RayJob RayService",
     .sentence =
         "What Kueue queues of Ray brings its own cluster, gives it back and does not grow.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/rayjob/rayjob_webhook.go, "
               "pkg/controller/jobs/raycluster/raycluster_webhook.go",
     .object = ray,
     .operators = kKueue},
    {.name = "kueue-queue-exists",
     .on = kQueued,
     .sentence = "The queue and the priority class of a job are there; else it is never admitted.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go",
     .object = queue_exists,
     .operators = kKueue},
    {.name = "kueue-queue-key",
     .on = kQueued,
     .sentence = "The label that names the queue of a job is the one that Kueue reads.",
     .source = "kubernetes-sigs/kueue pkg/controller/constants/constants.go QueueLabel",
     .object = queue_key,
     .operators = kKueue,
     .severity = Severity::Warning,
     .because = "Without the label Kueue leaves the job alone: it starts at once, past all quotas.",
     .fix = "write `kueue.x-k8s.io/queue-name`"},
    {.name = "kueue-queue-on-pods",
     .on = "pod",
     .sentence = "The queue is named by the job, not by its pods.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go",
     .pod = queue_on_pods,
     .operators = kKueue,
     .severity = Severity::Warning,
     .because =
         "Kueue admits a job as a whole and looks at its own labels: the job starts at once, "
         "past all quotas, or its pods are queued one by one.",
     .fix = "put the label into the `metadata` of the job"},
};

}  // namespace

constinit const std::span<const Check> kueue_job_checks = kChecks;

}  // namespace trainyard
