#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "convert/convertible_kinds.h"
#include "convert/job_metadata.h"
#include "convert/launcher.h"
#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "convert/read_job_set.h"
#include "convert/synthesized_pod.h"
#include "convert/train_job_inputs.h"
#include "effective/fold_train_job.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// kubeflow/trainer pkg/constants/constants.go
constexpr std::string_view kGroup = "trainer.kubeflow.org";
constexpr std::string_view kNode = "node";  // the step that trains, and its container

/// Reads a TrainJob folded into its runtime, or what it says itself where that is not there.
class TrainJobReader {
 public:
  explicit TrainJobReader(Conversion& job) : job_(job), spec_(get(job.job, "spec")), inputs_(job) {}

  void read() {
    inputs_.of_train_job();
    const RuntimeName wanted = runtime_name(job_.job);
    runtime_ = job_.find(kGroup, wanted.kind, wanted.name);
    policy_ = get(get(runtime_, "spec"), "mlPolicy");
    if (runtime_) job_.ledger.watch(runtime_);
    framework();
    read_suspend(job_, get(spec_, "suspend"));
    read_seconds(job_, get(spec_, "activeDeadlineSeconds"), "deadline");
    if (!runtime_) return alone(wanted);
    // It stays what it is, and others may run on it.
    for (std::string_view key : {"apiVersion", "kind", "metadata"}) {
      job_.ledger.derived(get(runtime_, key));
    }
    folded();
  }

 private:
  View trainer() const { return get(spec_, "trainer"); }

  void framework() {
    for (std::string_view each : {"torch", "mpi", "jax", "xgboost"}) {
      if (get(policy_, each)) job_.framework = each == "torch" ? "pytorch" : each;
    }
    const View label =
        get(get(get(runtime_, "metadata"), "labels"), "trainer.kubeflow.org/framework");
    if (label && label->text == "deepspeed") job_.framework = "mpi";
  }

  // --- with the runtime

  void folded() {
    const TrainJobInput input{job_.job, runtime_, job_.input.versions, job_.schemas};
    const FoldedTrainJob made = fold_train_job(job_.maker, input, *job_.sink);
    if (made.job_set == kNoNode) {
      job_.ledger.lost(job_.job, made.failure, "correct the TrainJob first");
      return;
    }
    const NodeId job_set = job_.maker.tree.find(made.job_set, "spec");
    const std::int64_t counted = counted_processes(job_.maker.view(job_set));
    settle_replaced(made.job_set);
    metadata_of(job_.maker.view(made.job_set));
    take_out_added(job_set);
    put_back_ports(job_set);
    inputs_.of_runtime(job_set);
    processes();
    if (counted != 0 && !job_.ours) job_.processes = counted;
    nodes(job_set);
    by_mpirun(job_.maker.view(job_set));
    read_job_set(job_, job_.maker.view(job_set));
    exclusive(get(get(job_.maker.view(made.job_set), "metadata"), "annotations"));
    gang();
    settle_rest();
  }

  /// As the Trainer counts them: one for each GPU, or else for each CPU, where nothing says it.
  std::int64_t counted_processes(View job_set) const {
    std::int64_t count = 0;
    each_container(job_set, [&](std::string_view, View container) {
      if (string_at(container, "name") != kNode) return;
      for (View each : items_at(container, "env")) {
        const std::string_view name = string_at(each, "name");
        if (name == "PET_NPROC_PER_NODE" || name == "OMPI_MCA_orte_set_default_slots") {
          count = as_number(string_at(each, "value"));
        }
      }
    });
    return count;
  }

  /// Labels and annotations that the Trainer gives to the JobSet, and not to the TrainJob.
  void metadata_of(View job_set) {
    for (std::string_view list : {"labels", "annotations"}) {
      for (View each : entries_at(get(job_set, "metadata"), list)) {
        if (read_queueing_label(job_, each) || is_annotation_of_tool(each->key)) continue;
        if (each->key == kExclusiveTopology) continue;
        job_.carry(job_.map_at(job_.metadata, list), each);
      }
    }
  }

  /// One domain for all pods: here the annotation is the JobSet's own.
  void exclusive(View annotations) {
    const View level = get(annotations, kExclusiveTopology);
    if (!level) return;
    for (ConvertedRole& each : job_.roles) carry_exclusive_topology(job_, each, level);
  }

  /// What the Trainer adds is made again by a build, or by the Trainer.
  void take_out_added(NodeId id) {
    Tree& tree = job_.maker.tree;
    std::vector<NodeId> children;
    for (NodeId child : tree.children(id)) children.push_back(child);
    for (NodeId child : children) {
      if (job_.maker.origins[tree[child].origin].kind == OriginKind::Injected) {
        tree.remove(id, child);
      } else {
        take_out_added(child);
      }
    }
  }

  /// The Trainer's port replaces one without a name (kubeflow/trainer pkg/apply/apply.go
  /// UpsertPort), and the spec has that all the same.
  void put_back_ports(NodeId job_set) {
    const View wanted = get(get(get(runtime_, "spec"), "template"), "spec");
    each_container(wanted, [&](std::string_view job, View from) {
      const View ports = get(from, "ports");
      if (!has_items(ports)) return;
      each_container(job_.maker.view(job_set), [&](std::string_view other, View to) {
        const bool same = job == other && string_at(from, "name") == string_at(to, "name");
        if (same) job_.maker.put(to.id(), "ports", job_.maker.copy(ports));
      });
    });
  }

  template <class Use>
  static void each_container(View job_set, Use use) {
    for (View job : items_at(job_set, "replicatedJobs")) {
      const View pod =
          get(get(get(get(get(job, "template"), "spec"), "template"), "spec"), "containers");
      for (View each : Items(pod)) use(string_at(job, "name"), each);
    }
  }

  void processes() {
    const View own = get(trainer(), "numProcPerNode");
    const View of_torch = get(get(policy_, "torch"), "numProcPerNode");
    const View of_mpi = get(get(policy_, "mpi"), "numProcPerNode");
    for (View each : {of_mpi, of_torch, own}) {
      if (const auto count = integer_of(each)) job_.processes = *count;
      if (each && each->kind == Kind::String && each->text != "cpu") {
        job_.processes = as_number(each->text);
      }
      job_.ledger.carried(each);
    }
    // The Trainer counts the GPUs itself by default.
    const bool torch = job_.framework == "pytorch";
    job_.injects = [torch](std::string_view name) { return torch && name == "PET_NPROC_PER_NODE"; };
    const View implementation = get(get(policy_, "mpi"), "mpiImplementation");
    if (implementation && implementation->text == "OpenMPI") job_.ledger.derived(implementation);
  }

  static std::int64_t as_number(std::string_view text) {
    std::int64_t value = 0;
    for (char c : text) {
      if (c < '0' || c > '9') return 0;
      value = value * 10 + (c - '0');
    }
    return value;
  }

  /// The number of nodes of the step that trains, which the fold leaves to marks.
  void nodes(NodeId job_set) {
    const View own = get(trainer(), "numNodes");
    const View usual = get(policy_, "numNodes");
    const View count = own ? own : usual;
    job_.ledger.carried(own);
    job_.ledger.carried(usual);
    const View trains = training_job(job_.maker.view(job_set));
    if (!trains) return count_programs(job_set);
    const NodeId spec = job_.map_at(job_.map_at(trains.id(), "template"), "spec");
    const std::int64_t before = integer_at(job_.maker.view(spec), "parallelism").value_or(1);
    const bool works = is_true(get(get(policy_, "mpi"), "runLauncherAsNode"));
    const std::int64_t all = integer_of(count).value_or(before);
    const std::int64_t pods = works && all > 1 ? all - 1 : all;
    for (std::string_view key : {"parallelism", "completions"}) {
      job_.maker.put(spec, key, job_.number(pods));
    }
  }

  /// Each of several programs has as many pods as the runtime says.
  void count_programs(NodeId job_set) {
    const View wanted = get(get(get(runtime_, "spec"), "template"), "spec");
    for (View from : items_at(wanted, "replicatedJobs")) {
      for (View to : items_at(job_.maker.view(job_set), "replicatedJobs")) {
        if (string_at(from, "name") != string_at(to, "name")) continue;
        const NodeId spec = job_.map_at(job_.map_at(to.id(), "template"), "spec");
        for (std::string_view key : {"parallelism", "completions"}) {
          job_.maker.put_copy(spec, key, get(get(get(from, "template"), "spec"), key));
        }
      }
    }
  }

  /// Our launcher starts the ranks on the nodes, and may be one of them.
  void by_mpirun(View job_set) {
    if (!get(policy_, "mpi")) return;
    View launcher;
    View node;
    for (View each : items_at(job_set, "replicatedJobs")) {
      const View pod = get(get(get(each, "template"), "spec"), "template");
      if (string_at(each, "name") == "launcher") launcher = pod;
      if (string_at(each, "name") == kNode) node = pod;
    }
    if (!launcher || !node) return;
    const View works = get(get(policy_, "mpi"), "runLauncherAsNode");
    job_.launcher_works = is_true(works);
    job_.ledger.carried(works);
    const View count = get(trainer(), "numNodes");
    job_.pods = std::max<std::int64_t>(integer_of(count).value_or(1), 1);
    const View path = get(get(policy_, "mpi"), "sshAuthMountPath");
    if (path && path->text.ends_with("/.ssh")) job_.ledger.derived(path);
    if (!job_.ours) return;
    prepare_join(job_, launcher, node);
    nodes_first(job_set);
    const View label =
        get(get(get(runtime_, "metadata"), "labels"), "trainer.kubeflow.org/framework");
    if (job_.by_mpirun && !(label && label->text == "deepspeed")) job_.framework = {};
  }

  /// What the ranks get follows from the nodes.
  void nodes_first(View job_set) {
    const View jobs = get(job_set, "replicatedJobs");
    std::vector<NodeId> order;
    for (bool launchers : {false, true}) {
      for (View each : Items(jobs)) {
        if ((string_at(each, "name") == "launcher") == launchers) order.push_back(each.id());
      }
    }
    job_.maker.tree.reorder(jobs.id(), order);
  }

  /// `node`, or what is labelled as the step that trains.
  static View training_job(View job_set) {
    View labelled;
    for (View each : items_at(job_set, "replicatedJobs")) {
      if (string_at(each, "name") == "node") return each;
      const View labels = get(get(get(each, "template"), "metadata"), "labels");
      if (string_at(labels, kTrainJobStep) == "trainer") labelled = each;
    }
    return labelled;
  }

  void gang() {
    const View policy = get(get(runtime_, "spec"), "podGroupPolicy");
    if (const View group = get(policy, "coscheduling")) {
      if (job_.share({"scheduling", "system"}, job_.text("coscheduling"), {})) {
        read_timeout(get(group, "scheduleTimeoutSeconds"));
        job_.ledger.derived(group);
      }
    }
    if (const View group = get(policy, "volcano"); group && !has_items(group)) {
      if (job_.share({"scheduling", "system"}, job_.text("volcano"), {}))
        job_.ledger.derived(group);
    }
  }

  void read_timeout(View seconds) {
    if (const auto count = integer_of(seconds)) {
      job_.share({"scheduling", "timeout"}, job_.text(duration_text(*count)), seconds);
    }
  }

  /// What the TrainJob puts in the place of something of the runtime is not missed.
  void settle_replaced(NodeId job_set) {
    std::set<std::pair<FileId, std::uint32_t>> kept;
    note_places(job_.maker.view(job_set), kept);
    const View before = get(get(runtime_, "spec"), "template");
    settle_missing(before, kept);
  }

  void note_places(View made, std::set<std::pair<FileId, std::uint32_t>>& kept) const {
    const Span span = job_.maker.origins[made->origin].span;
    if (span.known()) kept.insert({span.file, span.begin});
    for (View each : Items(made)) note_places(each, kept);
  }

  void settle_missing(View value, const std::set<std::pair<FileId, std::uint32_t>>& kept) {
    if (!value) return;
    if (value->first == kNoNode && !kept.contains({value->span.file, value->span.begin})) {
      job_.ledger.derived(value);
    }
    for (View each : Items(value)) settle_missing(each, kept);
  }

  /// What refers to the runtime.
  void settle_rest() {
    settle_reference();
    job_.ledger.derived(get(spec_, "managedBy"));
    for (std::string_view each : {"torch", "jax", "xgboost", "mpi"}) {
      if (const View own = get(policy_, each); own && own->size == 0) job_.ledger.derived(own);
    }
    for (std::string_view list : {"podSpecOverrides", "podTemplateOverrides"}) {
      for (View each : items_at(spec_, list)) take_targets(each);
    }
    for (View each : items_at(spec_, "runtimePatches")) {
      job_.ledger.derived(get(each, "manager"));
      const View patch = get(get(get(each, "trainingRuntimeSpec"), "template"), "spec");
      for (View target : items_at(patch, "replicatedJobs"))
        job_.ledger.derived(get(target, "name"));
    }
  }

  void settle_reference() {
    for (std::string_view key : {"apiGroup", "kind", "name"}) {
      job_.ledger.derived(get(get(spec_, "runtimeRef"), key));
    }
  }

  // --- without

  void alone(const RuntimeName& wanted) {
    const View reference = get(spec_, "runtimeRef");
    job_.ledger.lost(get(reference, "name"),
                     std::string(wanted.kind) + " `" + std::string(wanted.name) +
                         "` is not among the inputs, so what it says is not in the spec",
                     "convert it together with its runtime, or keep `runtime` and build for "
                     "target `trainjob`");
    // A spec names one of the cluster's.
    if (wanted.kind == "TrainingRuntime") {
      job_.patch("trainjob", {"spec", "runtimeRef", "kind"}, get(reference, "kind"));
    }
    settle_reference();
    job_.share({"runtime"}, job_.text(wanted.name), {});
    job_.share({"target"}, job_.text("trainjob"), {});
    const View count = get(trainer(), "numNodes");
    job_.pods = std::max<std::int64_t>(integer_of(count).value_or(1), 1);
    job_.ledger.carried(count);
    if (job_.framework.empty() && wanted.name.starts_with("torch")) job_.framework = "pytorch";
    processes();
    SynthesizedPod pod(job_);
    for (std::string_view key : {"image", "command", "args", "env"}) {
      pod.copy(pod.container, key, get(trainer(), key));
    }
    pod.copy(pod.container, "resources", get(trainer(), "resourcesPerNode"));
    patches(pod);
    ConvertedRole role;
    role.pods = job_.pods;
    role.processes = job_.processes;
    job_.roles.push_back(role);
    read_pod_template(job_, job_.roles.front(), pod.view());
    pod_by_patches(job_.roles.front().fields);
  }

  /// No `pod` of a spec reaches the pods of a runtime that exists; fields of the TrainJob do.
  void pod_by_patches(NodeId fields) {
    PodBuilder& maker = job_.maker;
    const NodeId pod = maker.tree.find(fields, "pod");
    if (pod == kNoNode) return;
    const NodeId spec = maker.tree.find(pod, "spec");
    const View containers = get(maker.view(spec), "containers");
    if (has_items(containers)) {
      const View own = *Items(containers).begin();
      if (const View amounts = get(own, "resources")) {
        job_.patch("trainjob", {"spec", "trainer", "resourcesPerNode"}, amounts);
        maker.tree.remove(own.id(), amounts.id());
      }
      if (own->size == 1) maker.tree.remove(spec, containers.id());
    }
    if (spec != kNoNode && maker.tree[spec].size == 0) maker.tree.remove(pod, spec);
    if (maker.tree[pod].size == 0) {
      maker.tree.remove(fields, pod);
    } else if (manager_) {
      maker.tree.remove(fields, pod);
      patch_of_manager(pod);
    }
  }

  /// The rest of `pod`, as a patch of the runtime by its author.
  void patch_of_manager(NodeId pod) {
    PodBuilder& maker = job_.maker;
    for (View each : items_at(maker.view(maker.tree.find(pod, "spec")), "containers")) {
      if (string_at(each, "name") == kMainContainer) maker.put(each.id(), "name", job_.text(kNode));
    }
    const NodeId list = job_.list();
    const NodeId item = job_.map();
    maker.tree.append(list, item);
    job_.carry(item, "manager", manager_);
    NodeId at = item;
    for (std::string_view key : {"trainingRuntimeSpec", "template", "spec"}) {
      at = job_.map_at(at, key);
    }
    const NodeId node = job_.map();
    maker.tree.append(job_.list_at(at, "replicatedJobs"), node);
    maker.put(node, "name", job_.text(kNode));
    maker.put(job_.map_at(job_.map_at(node, "template"), "spec"), "template", pod);
    job_.patch("trainjob", {"spec", "runtimePatches"}, maker.view(list));
  }

  /// What the TrainJob says of the pods that train, by whatever field its release has for that.
  void patches(SynthesizedPod& pod) {
    for (View each : items_at(spec_, "podSpecOverrides")) {
      if (targets_trainer(each)) patch(pod, {}, each);
    }
    for (View each : items_at(spec_, "podTemplateOverrides")) {
      if (targets_trainer(each)) patch(pod, get(each, "metadata"), get(each, "spec"));
    }
    for (View each : items_at(spec_, "runtimePatches")) {
      const View runtime = get(each, "trainingRuntimeSpec");
      for (View label : entries_at(get(get(runtime, "template"), "metadata"), "labels")) {
        read_queueing_label(job_, label);
      }
      for (View target : items_at(get(get(runtime, "template"), "spec"), "replicatedJobs")) {
        if (string_at(target, "name") != kNode) continue;
        job_.ledger.derived(get(each, "manager"));
        job_.ledger.derived(get(target, "name"));
        if (!manager_) manager_ = get(each, "manager");
        const View templ = get(get(get(target, "template"), "spec"), "template");
        patch(pod, get(templ, "metadata"), get(templ, "spec"));
      }
    }
  }

  bool targets_trainer(View patch) {
    const View targets = get(patch, "targetJobs");
    const bool only = has_items(targets) && targets->size == 1 &&
                      string_at(*Items(targets).begin(), "name") == kNode;
    if (only) take_targets(patch);
    return only;
  }

  /// The names of the jobs that an override is for, and nothing else that stands there.
  void take_targets(View patch) {
    for (View each : items_at(patch, "targetJobs")) job_.ledger.derived(get(each, "name"));
  }

  /// Of several for one field the first; the others are reported.
  void patch(SynthesizedPod& pod, View metadata, View spec) {
    const auto copy = [&](NodeId to, View field) {
      if (job_.maker.tree.find(to, field->key) == kNoNode) pod.copy(to, field->key, field);
    };
    for (View each : Items(metadata)) copy(pod.metadata, each);
    for (View each : Items(spec)) {
      if (each->key != "containers" && each->key != "targetJobs") copy(pod.spec, each);
    }
    for (View container : items_at(spec, "containers")) {
      if (string_at(container, "name") != kNode) continue;
      job_.ledger.derived(get(container, "name"));
      for (View each : Items(container)) {
        if (each->key != "name") copy(pod.container, each);
      }
    }
  }

  Conversion& job_;
  View spec_;
  View runtime_;
  View policy_;
  View manager_;  // the author of a patch of the pods that train
  TrainJobInputs inputs_;
};

void read(Conversion& job) {
  TrainJobReader(job).read();
}

}  // namespace

constinit const ConvertedKind kConvertTrainJob = {kGroup, "TrainJob", "", read};

}  // namespace trainyard
