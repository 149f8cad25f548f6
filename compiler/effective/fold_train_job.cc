#include "effective/fold_train_job.h"

#include "effective/trainer_fold.h"
#include "schema/merge.h"

namespace trainyard {
namespace {

constexpr std::string_view kGroup = "trainer.kubeflow.org";
constexpr std::string_view kStepLabel = "trainer.kubeflow.org/trainjob-ancestor-step";
constexpr int kNewest = 3;  // of the releases 2.x

/// Which release reads the TrainJob. One that is not known is the newest that takes its fields.
int release_of(View spec, const Versions& versions) {
  if (const auto known = versions.of("trainer")) {
    return known->major == 2 ? std::min(known->minor, kNewest) : kNewest;
  }
  if (get(spec, "podSpecOverrides")) return 0;
  return get(spec, "podTemplateOverrides") ? 1 : kNewest;
}

/// Patches on the replicated jobs, in the dialect of each release.
class Patches {
 public:
  Patches(TrainJobMerge& fold, Sink& sink) : fold_(fold), sink_(sink) {}

  void apply() {
    for (View each : items_at(fold_.spec(), "podSpecOverrides")) spec_override(each);
    for (View each : items_at(fold_.spec(), "podTemplateOverrides")) template_override(each);
    for (View each : items_at(fold_.spec(), "runtimePatches")) {
      const View job_set = get(get(each, "trainingRuntimeSpec"), "template");
      for (View job : items_at(get(job_set, "spec"), "replicatedJobs")) runtime_patch(job);
    }
  }

 private:
  /// 2.0: the fields of a pod spec beside the names of the jobs.
  void spec_override(View given) {
    Tree patch;
    PodBuilder maker(patch, fold_.maker.origins);
    const NodeId spec = maker.map(kNoOrigin);
    for (View each : Items(given)) {
      if (each->key == "targetJobs") continue;
      const NodeId copy = maker.copy(each);
      maker.put(spec, each->key, copy);
    }
    const NodeId root = maker.map(kNoOrigin);
    maker.put(root, "spec", spec);
    each_target(given, patch, root);
  }

  /// 2.1: a pod template.
  void template_override(View given) {
    Tree patch;
    PodBuilder maker(patch, fold_.maker.origins);
    const NodeId root = maker.map(kNoOrigin);
    maker.put_copy(root, "spec", get(given, "spec"));
    const View metadata = get(given, "metadata");
    for (std::string_view key : {"labels", "annotations"}) {
      if (const View value = get(metadata, key)) {
        maker.put(maker.map_at(root, "metadata", kNoOrigin), key, maker.copy(value));
      }
    }
    each_target(given, patch, root);
  }

  void each_target(View given, const Tree& patch, NodeId root) {
    for (View target : items_at(given, "targetJobs")) {
      const NodeId job = job_template(string_at(target, "name"));
      if (job == kNoNode) continue;
      const NodeId spec = fold_.maker.map_at(job, "spec", kNoOrigin);
      merge(pod_template_schema(), fold_.maker.map_at(spec, "template", kNoOrigin), patch, root);
    }
  }

  /// Since 2.2: a replicated job with a part of its Job template.
  void runtime_patch(View given) {
    const View value = get(given, "template");
    const NodeId job = job_template(string_at(given, "name"));
    if (!value || !value->is_map() || job == kNoNode) return;
    Tree patch;
    PodBuilder maker(patch, fold_.maker.origins);
    merge(job_template_schema(), job, patch, maker.copy(value));
  }

  void merge(SchemaId schema, NodeId target, const Tree& patch, NodeId root) {
    strategic_merge(fold_.input.schemas, schema, fold_.maker.tree, target, patch, root, sink_,
                    MergeOrder::AsServer);
  }

  NodeId job_template(std::string_view name) {
    PodBuilder& maker = fold_.maker;
    for (View each : items_at(maker.view(fold_.job_set_spec), "replicatedJobs")) {
      if (string_at(each, "name") == name) return maker.map_at(each.id(), "template", kNoOrigin);
    }
    return kNoNode;
  }

  SchemaId below(std::string_view kind, std::initializer_list<std::string_view> path) const {
    const SchemaPack& pack = fold_.input.schemas;
    const SchemaKind* found = pack.find("batch/v1", kind);
    SchemaId id = found == nullptr ? kAnySchema : found->schema;
    for (std::string_view key : path) id = pack.property(pack[id], key).value_or(kAnySchema);
    return id;
  }
  SchemaId job_template_schema() const { return below("CronJob", {"spec", "jobTemplate"}); }
  SchemaId pod_template_schema() const { return below("Job", {"spec", "template"}); }

  TrainJobMerge& fold_;
  Sink& sink_;
};

/// Labels and annotations of the JobSet: the runtime's, then those that the TrainJob asks for.
void add_metadata(TrainJobMerge& fold, NodeId job_set) {
  PodBuilder& maker = fold.maker;
  const NodeId metadata = maker.map_at(job_set, "metadata", kNoOrigin);
  const View own = get(fold.input.train_job, "metadata");
  maker.put_copy(metadata, "name", get(own, "name"));
  maker.put_copy(metadata, "namespace", get(own, "namespace"));
  const View given = get(get(get(fold.input.runtime, "spec"), "template"), "metadata");
  for (std::string_view key : {"labels", "annotations"}) {
    const auto add = [&](View values) {
      if (has_items(values)) put_all(maker, maker.map_at(metadata, key, kNoOrigin), values);
    };
    add(get(given, key));
    if (fold.minor <= 1) add(get(fold.spec(), key));
    for (View each : items_at(fold.spec(), "runtimePatches")) {
      add(get(get(get(get(each, "trainingRuntimeSpec"), "template"), "metadata"), key));
    }
  }
}

void find_pod_sets(TrainJobMerge& fold) {
  PodBuilder& maker = fold.maker;
  std::vector<NodeId> jobs;
  for (View each : items_at(maker.view(fold.job_set_spec), "replicatedJobs")) {
    if (each->is_map()) jobs.push_back(each.id());
  }
  const View policy = fold.ml_policy();
  for (NodeId id : jobs) {
    TrainerPodSet set;
    set.replicated_job = id;
    set.name = string_at(maker.view(id), "name");
    const NodeId job = maker.map_at(id, "template", kNoOrigin);
    set.ancestor = string_at(get(get(maker.view(job), "metadata"), "labels"), kStepLabel);
    const NodeId spec = maker.map_at(job, "spec", kNoOrigin);
    const NodeId pod = maker.map_at(spec, "template", kNoOrigin);
    set.pod_spec = maker.map_at(pod, "spec", kNoOrigin);
    const bool trains = set.ancestor == "trainer" && policy;
    set.counted_by = trains ? get(policy, "numNodes") : get(maker.view(spec), "parallelism");
    set.count = std::max<std::int64_t>(integer_of(set.counted_by).value_or(1), 1);
    fold.pod_sets.push_back(std::move(set));
  }
}

bool launcher_is_node(TrainJobMerge& fold) {
  return is_true(get(get(fold.ml_policy(), "mpi"), "runLauncherAsNode"));
}

/// Whose container `node` gets what the TrainJob says of a node.
bool is_node(TrainJobMerge& fold, const TrainerPodSet& set) {
  const bool second = fold.minor >= 1 && launcher_is_node(fold) && set.name == "node";
  return set.ancestor == "trainer" || second;
}

/// Until 2.2 the TrainJob's resources replace those of the runtime, since 2.3 they are merged, and
/// only where the runtime has a policy. Either way claims get lost, those of the runtime, too.
void add_resources(TrainJobMerge& fold, const TrainerPodSet& set) {
  PodBuilder& maker = fold.maker;
  const View given = get(fold.trainer(), "resourcesPerNode");
  const NodeId container = container_named(maker, set.pod_spec, "node");
  if (!given || container == kNoNode || !is_node(fold, set)) return;
  const bool merges = fold.minor >= 3;
  if (merges && !fold.ml_policy()) return;
  if (!merges && !get(given, "limits") && !get(given, "requests")) return;
  const View old = get(maker.view(container), "resources");
  const NodeId resources = maker.map(kNoOrigin);
  for (std::string_view key : {"limits", "requests"}) {
    if (merges) maker.put_copy(resources, key, get(old, key));
    const View amounts = get(given, key);
    if (amounts) put_all(maker, maker.map_at(resources, key, kNoOrigin), amounts);
  }
  maker.put(container, "resources", resources);
}

/// Storage and credentials of one initializer.
void add_initializer(TrainJobMerge& fold, TrainerPodSet& set, View given) {
  PodBuilder& maker = fold.maker;
  const NodeId container = container_named(maker, set.pod_spec, set.ancestor);
  if (container == kNoNode || !given) return;
  if (const View uri = get(given, "storageUri")) {
    fold.upsert_env(container, "STORAGE_URI", uri->text, "storageUri of the initializer", uri);
  }
  for (View each : items_at(given, "env")) {
    if (each->is_map()) fold.upsert_env(container, maker.copy(each));
  }
  const View secret = get(get(given, "secretRef"), "name");
  if (!secret) return;
  const OriginId mark = maker.mark("secretRef of the initializer", secret);
  const NodeId source = maker.map(mark);
  maker.put(maker.map_at(source, "secretRef", mark), "name", secret.text(), mark);
  append_to(maker, container, "envFrom", source);
}

void add_initializers(TrainJobMerge& fold) {
  const View initializer = get(fold.spec(), "initializer");
  for (TrainerPodSet& set : fold.pod_sets) {
    const bool dataset = set.ancestor == "dataset-initializer";
    if (!dataset && set.ancestor != "model-initializer") continue;
    fold.maker.put(set.replicated_job, "replicas",
                   fold.maker.number(1, fold.maker.mark("one of each step")));
    add_initializer(fold, set, get(initializer, dataset ? "dataset" : "model"));
  }
}

void add_command(TrainJobMerge& fold, NodeId container) {
  PodBuilder& maker = fold.maker;
  if (!fold.command.empty()) {
    const OriginId mark = maker.mark("around the command of the user");
    const NodeId words = maker.list(mark);
    for (const std::string& each : fold.command) maker.tree.append(words, maker.text(each, mark));
    maker.put(container, "command", words);
    return;
  }
  maker.put_copy(container, "command", get(fold.trainer(), "command"));
  for (const std::string& each : fold.command_end) {
    append_to(maker, container, "command",
              maker.text(each, maker.mark("recipe and config for torchtune")));
  }
  maker.put_copy(container, "args", get(fold.trainer(), "args"));
}

void add_trainer(TrainJobMerge& fold) {
  PodBuilder& maker = fold.maker;
  for (TrainerPodSet& set : fold.pod_sets) {
    const NodeId container = container_named(maker, set.pod_spec, "node");
    if (set.ancestor == "trainer") {
      maker.put(set.replicated_job, "replicas", maker.number(1, maker.mark("one of each step")));
      if (container != kNoNode && fold.trainer()) {
        maker.put_copy(container, "image", get(fold.trainer(), "image"));
        add_command(fold, container);
      }
    }
    if (container != kNoNode && is_node(fold, set)) fold.upsert_trainer_env(container);
    if (fold.minor <= 2) add_resources(fold, set);
  }
}

/// The controller goes once more over the lists that it adds to.
void settle_lists(TrainJobMerge& fold) {
  PodBuilder& maker = fold.maker;
  for (TrainerPodSet& set : fold.pod_sets) {
    upsert_into_itself(maker, set.pod_spec, "volumes", same_name);
    std::vector<NodeId> all = containers(maker, set.pod_spec);
    if (fold.minor >= 2) {
      for (NodeId each : init_containers(maker, set.pod_spec)) all.push_back(each);
    }
    for (NodeId each : all) {
      upsert_into_itself(maker, each, "env", same_name);
      upsert_into_itself(maker, each, "ports", same_port);
      upsert_into_itself(maker, each, "volumeMounts", same_mount_path);
    }
  }
}

void add_counts(TrainJobMerge& fold) {
  PodBuilder& maker = fold.maker;
  for (TrainerPodSet& set : fold.pod_sets) {
    const NodeId job = maker.map_at(set.replicated_job, "template", kNoOrigin);
    const NodeId spec = maker.map_at(job, "spec", kNoOrigin);
    const OriginId mark = maker.mark("number of pods of this step", set.counted_by);
    maker.put(spec, "parallelism", maker.number(set.count, mark));
    maker.put(spec, "completions", maker.number(set.count, mark));
  }
}

/// How the pods of a gang are known to their scheduler.
void add_pod_group(TrainJobMerge& fold) {
  PodBuilder& maker = fold.maker;
  const View policy = get(get(fold.input.runtime, "spec"), "podGroupPolicy");
  const bool volcano = fold.minor >= 1 && get(policy, "volcano");
  if (!get(policy, "coscheduling") && !volcano) return;
  for (TrainerPodSet& set : fold.pod_sets) {
    const NodeId job = maker.map_at(set.replicated_job, "template", kNoOrigin);
    const NodeId spec = maker.map_at(job, "spec", kNoOrigin);
    const NodeId pod = maker.map_at(spec, "template", kNoOrigin);
    const OriginId mark = maker.mark("pod group of the job");
    const NodeId metadata = maker.map_at(pod, "metadata", mark);
    if (get(policy, "coscheduling")) {
      maker.put(maker.map_at(metadata, "labels", mark), "scheduling.x-k8s.io/pod-group",
                fold.name(), mark);
    }
    if (volcano) {
      maker.put(maker.map_at(metadata, "annotations", mark), "scheduling.k8s.io/group-name",
                fold.name(), mark);
    }
  }
}

}  // namespace

FoldedTrainJob fold_train_job(PodBuilder& maker, const TrainJobInput& input, Sink& sink) {
  maker.act_for("trainer");
  FoldedTrainJob out;
  TrainJobMerge fold{maker, input, out};
  fold.minor = release_of(fold.spec(), input.versions);

  const NodeId job_set = maker.map(kNoOrigin);
  maker.put(job_set, "apiVersion", "jobset.x-k8s.io/v1alpha2", kNoOrigin);
  maker.put(job_set, "kind", "JobSet", kNoOrigin);
  add_metadata(fold, job_set);
  maker.put_copy(job_set, "spec", get(get(get(input.runtime, "spec"), "template"), "spec"));
  fold.job_set_spec = maker.map_at(job_set, "spec", kNoOrigin);
  Patches(fold, sink).apply();
  find_pod_sets(fold);
  if (fold.minor >= 3) {
    for (const TrainerPodSet& set : fold.pod_sets) add_resources(fold, set);
  }
  enforce_ml_policy(fold);
  if (!out.failure.empty()) return out;

  maker.act_for("trainer");
  add_counts(fold);
  settle_lists(fold);
  add_initializers(fold);
  add_trainer(fold);
  add_pod_group(fold);
  maker.put_copy(fold.job_set_spec, "suspend", get(fold.spec(), "suspend"));
  out.job_set = job_set;
  return out;
}

RuntimeName runtime_name(View train_job) {
  const View reference = get(get(train_job, "spec"), "runtimeRef");
  const std::string_view kind = string_at(reference, "kind");
  RuntimeName result{
      kind.empty() ? "ClusterTrainingRuntime" : kind, string_at(reference, "name"), {}};
  if (result.kind == "TrainingRuntime") {
    result.name_space = string_at(get(train_job, "metadata"), "namespace");
  }
  return result;
}

View find_runtime(View train_job, const Inventory& inventory) {
  const RuntimeName wanted = runtime_name(train_job);
  return inventory.find(kGroup, wanted.kind, wanted.name_space, wanted.name);
}

}  // namespace trainyard
