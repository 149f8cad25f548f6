#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "operators/train_job_runtime.h"
#include "schema/names.h"
#include "source/characters.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// What Kueue's webhooks want of pods that are placed by topology. The annotations stand on the
// template of the pods.

constexpr std::string_view kSource =
    "kubernetes-sigs/kueue pkg/controller/jobframework/tas_validation.go";
constexpr OperatorSpan kKueue{.name = "kueue"};

constexpr std::string_view kRequired = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view kPreferred = "kueue.x-k8s.io/podset-preferred-topology";
constexpr std::string_view kUnconstrained = "kueue.x-k8s.io/podset-unconstrained-topology";
constexpr std::string_view kSlice = "kueue.x-k8s.io/podset-slice-required-topology";
constexpr std::string_view kSliceSize = "kueue.x-k8s.io/podset-slice-size";
constexpr std::string_view kLayers = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
constexpr std::string_view kGroup = "kueue.x-k8s.io/podset-group-name";

/// A level of a topology, which is a key of node labels.
void level(View at, CheckContext& context) {
  if (!at || at.kind() != Kind::String) return;
  if (const Fault fault = why_not_label_key(at->text)) {
    context.refuse(at,
                   shown(at.key()) + " names a label of nodes: " + shown(at->text) + " " + *fault);
  }
}

void together(View at, View other, CheckContext& context) {
  if (!at || !other) return;
  context.refuse_key(at, shown(at.key()) + " does not go with " + shown(other.key()))
      .also(context.place(other), "the other one");
}

/// The value of a field as Go finds it, which looks past upper and lower case.
View go_field(View map, std::string_view name) {
  View found;
  for (View entry : map && map->is_map() ? Items(map) : Items()) {
    if (std::ranges::equal(entry.key(), name, {}, to_lower)) found = entry;
  }
  return found;
}

struct Layer {
  std::string topology;
  std::int64_t size = 0;
};

/// What is wrong with the layers; nothing when they can be read and fit into each other.
Fault why_no_layers(std::string_view text, std::vector<Layer>& layers) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("annotation", std::string(text));
  const auto tree = read_json(sources, file, sink);
  if (!tree || !(*tree)[tree->root()].is_seq()) {
    return "expected a JSON list such as `[{\"topology\": \"rack\", \"size\": 4}]`";
  }
  for (View layer : Items(View(*tree, tree->root()))) {
    layers.push_back({std::string(string_of(go_field(layer, "topology"))),
                      integer_of(go_field(layer, "size")).value_or(0)});
  }
  if (layers.empty() || layers.size() > 3) return "expected 1 to 3 layers";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    if (const Fault fault = why_not_label_key(layer.topology)) {
      return "the level " + shown(layer.topology) + " " + *fault;
    }
    if (layer.size < 1) return "the layer " + shown(layer.topology) + " needs a `size` above 0";
    for (std::size_t j = 0; j < i; ++j) {
      if (layers[j].topology == layer.topology) return shown(layer.topology) + " comes twice";
    }
    if (i > 0 && layers[i - 1].size % layer.size != 0) {
      return "the size " + std::to_string(layer.size) + " of " + shown(layer.topology) +
             " does not divide " + std::to_string(layers[i - 1].size) + ", of the layer above";
    }
  }
  return std::nullopt;
}

void topology(const Pod& pod, CheckContext& context) {
  const View all = get(pod.metadata, "annotations");
  if (!all || !all->is_map()) return;
  const View required = get(all, kRequired);
  const View preferred = get(all, kPreferred);
  const View unconstrained = get(all, kUnconstrained);
  const View slice = get(all, kSlice);
  const View size = get(all, kSliceSize);
  const View layers = get(all, kLayers);
  const View group = get(all, kGroup);

  if (required && preferred) {
    together(preferred, required, context);
  } else {
    together(unconstrained, required ? required : preferred, context);
  }
  for (View at : {required, preferred, slice}) level(at, context);
  if (unconstrained && !go_bool(string_of(unconstrained))) {
    context.refuse(unconstrained, shown(kUnconstrained) + " is " + shown(unconstrained->text) +
                                      "; expected `true` or `false`");
  }
  if (group) {
    const auto number = go_integer(string_of(group));
    if (number && *number >= 0) {
      context.refuse(group, "the name of a group of pod sets cannot be a number");
    }
    for (View other : {size, slice, layers}) {
      if (!other) continue;
      together(group, other, context);
      break;
    }
    const bool patch =
        (pod.controller_defaults & kIsPatch) == kIsPatch;  // the rest may be in the runtime
    if (!required && !preferred && !patch) {
      context.refuse_key(group,
                         shown(kGroup) + " needs " + shown(kRequired) + " or " + shown(kPreferred));
    }
  }
  if (size) {
    const auto pods = go_integer(string_of(size));
    if (!pods || *pods < 1) {
      context.refuse(
          size, shown(kSliceSize) + " is " + shown(size->text) + "; expected a number above 0");
    }
  }
  const bool patch = (pod.controller_defaults & kIsPatch) == kIsPatch;
  if (slice && !size && !patch) {
    context.refuse_key(slice, shown(kSlice) + " needs " + shown(kSliceSize));
  }
  if (size && !slice && !patch) {
    context.refuse_key(size, shown(kSliceSize) + " needs " + shown(kSlice));
  }
}

void topology_layers(const Pod& pod, CheckContext& context) {
  const View all = get(pod.metadata, "annotations");
  const View at = get(all, kLayers);
  if (!at || at.kind() != Kind::String) return;
  const View slice = get(all, kSlice);
  together(at, slice ? slice : get(all, kSliceSize), context);
  std::vector<Layer> layers;
  if (const Fault fault = why_no_layers(at->text, layers)) {
    context.refuse(at, shown(kLayers) + ": " + *fault);
  }
}

/// Pods that are counted and placed together.
struct PodSet {
  View holder;  // their template
  std::int64_t count = 1;
  bool counted = true;  // false where the number is up to the operator
};

std::int64_t job_pods(View spec) {
  const std::int64_t parallelism = integer_at(spec, "parallelism").value_or(1);
  return std::min(parallelism, integer_at(spec, "completions").value_or(parallelism));
}

void ray_sets(View cluster, std::vector<PodSet>& sets) {
  sets.push_back({get(get(cluster, "headGroupSpec"), "template"), 1});
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    const std::int64_t hosts =
        std::max<std::int64_t>(integer_at(group, "numOfHosts").value_or(1), 1);
    const View replicas = get(group, "replicas");
    sets.push_back({get(group, "template"), integer_of(replicas).value_or(1) * hosts,
                    static_cast<bool>(replicas)});
  }
}

void replica_sets(View specs, std::vector<PodSet>& sets) {
  for (View role : specs && specs->is_map() ? Items(specs) : Items()) {
    sets.push_back({get(role, "template"), integer_at(role, "replicas").value_or(1)});
  }
}

std::vector<PodSet> pod_sets(View object) {
  std::vector<PodSet> sets;
  const View spec = get(object, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "Job") sets.push_back({get(spec, "template"), job_pods(spec)});
  if (kind == "RayCluster") ray_sets(spec, sets);
  if (kind == "RayJob") ray_sets(get(spec, "rayClusterSpec"), sets);
  if (kind == "RayService") ray_sets(get(spec, "rayClusterConfig"), sets);
  for (View role : items_at(spec, "replicatedJobs")) {
    const View job = get(get(role, "template"), "spec");
    sets.push_back(
        {get(job, "template"), job_pods(job) * integer_at(role, "replicas").value_or(1)});
  }
  for (std::string_view field : {"pytorchReplicaSpecs", "tfReplicaSpecs", "xgbReplicaSpecs",
                                 "paddleReplicaSpecs", "jaxReplicaSpecs", "mpiReplicaSpecs"}) {
    replica_sets(get(spec, field), sets);
  }
  if (const View group = get(spec, "leaderWorkerTemplate")) {
    const View leader = get(group, "leaderTemplate");
    const std::int64_t size = integer_at(group, "size").value_or(1);
    if (leader) sets.push_back({leader, 1});
    sets.push_back({get(group, "workerTemplate"), leader ? size - 1 : size});
  }
  return sets;
}

void slices(const std::vector<PodSet>& sets, CheckContext& context) {
  for (const PodSet& set : sets) {
    const View size = annotation(set.holder, kSliceSize);
    const auto pods = go_integer(string_of(size));
    if (!set.counted) continue;
    if (pods && *pods > set.count) {
      context.refuse(size, "a slice of " + std::to_string(*pods) + " pods is larger than all " +
                               std::to_string(set.count) + " pods of the set");
    }
    const View at = annotation(set.holder, kLayers);
    std::vector<Layer> layers;
    if (!at || at.kind() != Kind::String || why_no_layers(at->text, layers)) continue;
    if (layers.front().size > set.count) {
      context.refuse(at, "a slice of " + std::to_string(layers.front().size) +
                             " pods is larger than all " + std::to_string(set.count) +
                             " pods of the set");
    }
  }
}

void groups(const std::vector<PodSet>& sets, CheckContext& context) {
  std::map<std::string_view, std::vector<const PodSet*>> named;
  for (const PodSet& set : sets) {
    const View name = annotation(set.holder, kGroup);
    if (name && name.kind() == Kind::String) named[name->text].push_back(&set);
  }
  for (const auto& [name, members] : named) {
    const View at = annotation(members.front()->holder, kGroup);
    if (members.size() != 2) {
      context.refuse(at, "a group has two pod sets, and " + shown(name) + " has " +
                             std::to_string(members.size()));
      continue;
    }
    const bool counted = members[0]->counted && members[1]->counted;
    if (counted && members[0]->count != 1 && members[1]->count != 1) {
      context.refuse(at, "one of the two pod sets of group " + shown(name) +
                             " must have a single pod; they have " +
                             std::to_string(members[0]->count) + " and " +
                             std::to_string(members[1]->count));
    }
    for (std::string_view key : {kRequired, kPreferred}) {
      const View first = annotation(members[0]->holder, key);
      const View second = annotation(members[1]->holder, key);
      if (static_cast<bool>(first) == static_cast<bool>(second) &&
          string_of(first) == string_of(second)) {
        continue;
      }
      context.refuse(second ? second : first, "the two pod sets of group " + shown(name) +
                                                  " must have the same " + shown(key));
      break;
    }
  }
}

/// Kinds whose webhook looks at groups.
bool are_grouped(View object) {
  const std::string_view version = string_at(object, "apiVersion");
  return string_at(object, "kind") != "Job" && version != "kubeflow.org/v1";
}

void sizes(View object, CheckContext& context) {
  const std::vector<PodSet> sets = pod_sets(object);
  slices(sets, context);
  if (are_grouped(object)) groups(sets, context);
}

/// An annotation that asks for a topology.
View asks_for_topology(View metadata) {
  for (std::string_view key : {kRequired, kPreferred, kUnconstrained, kSlice, kLayers}) {
    if (const View at = get(get(metadata, "annotations"), key)) return at;
  }
  return {};
}

/// Kueue reads the templates of the pods alone: pkg/controller/jobframework/tas.go
/// NewPodSetTopologyRequest, and who calls it for each kind.
void topology_on_job(const Workload& workload, CheckContext& context) {
  View on_jobs;
  for (const WorkloadRole& role : workload.roles) {
    if (asks_for_topology(role.pod.metadata)) return;
    const View job = workload.kind == "JobSet" ? get(role.holder, "template") : View();
    if (!on_jobs) on_jobs = asks_for_topology(get(job, "metadata"));
  }
  const View on_object = asks_for_topology(get(workload.object, "metadata"));
  const View at = on_object ? on_object : on_jobs;
  if (!at) return;
  if (workload.kind == "TrainJob") {
    const TrainJob job = train_job(workload.object, context);
    for (View each : items_at(job.template_spec, "replicatedJobs")) {
      const View pods = get(get(get(each, "template"), "spec"), "template");
      if (asks_for_topology(get(pods, "metadata"))) return;
    }
  }
  context.lint(at, shown(at.key()) + " stands on the job, and Kueue reads it on its pods");
}

constexpr Check kChecks[] = {
    {.name = "kueue-topology",
     .group = CheckGroup::Queue,
     .sentence = "Pods are placed in one way, at levels that nodes can be labelled with, in slices "
                 "that have a size.",
     .source = kSource,
     .pod = topology,
     .operators = kKueue},
    {.name = "kueue-topology-layers",
     .group = CheckGroup::Queue,
     .sentence = "Layers of slices are a list of one to three; each divides the one above.",
     .source = kSource,
     .pod = topology_layers,
     .operators = {.name = "kueue", .since = "0.19"}},
    {.name = "kueue-pod-sets",
     .group = CheckGroup::Queue,
     .on = "batch Job; jobset.x-k8s.io JobSet; leaderworkerset.x-k8s.io LeaderWorkerSet; "
           "kubeflow.org PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob; ray.io RayCluster "
           "RayJob RayService",
     .sentence = "A slice has no more pods than its set, and a group is two sets, one of a single "
                 "pod, with the same level.",
     .source = kSource,
     .object = sizes,
     .operators = kKueue},
    {.name = "kueue-topology-on-pods",
     .group = CheckGroup::Queue,
     .effect = Effect::RunsWrong,
     .sentence = "What topology a job wants stands on the template of its pods.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/tas.go NewPodSetTopologyRequest",
     .operators = kKueue,
     .workload = topology_on_job,
     .severity = Severity::Warning,
     .because = "Kueue ignores the annotation: the pods are placed without regard to the "
                "network.",
     .fix = "put the annotation into the `metadata` of the pod template; of a TrainJob that is in "
            "its runtime"},
};

}  // namespace

constinit const std::span<const Check> kueue_topology_checks = kChecks;

}  // namespace trainyard
