#include <string>
#include <vector>

#include "effective/pod_parts.h"
#include "effective/pods.h"
#include "effective/run_ai_job.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// What Run:ai makes of the fields of its workloads, as far as it is public: its charts of 2021 and
// pods of later releases (run-ai/runai-cli charts/runai/templates, run-ai/fake-gpu-operator
// design/samples).

/// The value of a field, which stands in a wrapper.
View value_of(View spec, std::string_view field) {
  return get(get(spec, field), "value");
}
std::string_view text_of(View spec, std::string_view field) {
  const View value = value_of(spec, field);
  return value ? std::string_view(value->text) : std::string_view();
}

/// The items of a field that have a value; one that is taken away has none.
std::vector<View> items_of(View spec, std::string_view field) {
  std::vector<View> found;
  for (View item : entries_at(get(spec, field), "items")) {
    if (get(item, "value")) found.push_back(item);
  }
  return found;
}

std::string workload_name(View workload) {
  const std::string_view given = text_of(get(workload, "spec"), "name");
  return std::string(given.empty() ? name_of(workload) : given);
}

/// Builds a pod template from one of the specs of a workload.
class PodTemplate {
 public:
  PodTemplate(PodBuilder& maker, View spec) : maker_(maker), spec_(spec) {}

  /// Nothing, and `failure` says why, when there is none.
  NodeId build(std::string_view container_name, std::string& failure) {
    const NodeId result = maker_.map(here("pod of the workload"));
    metadata(maker_.map_at(result, "metadata", here("pod of the workload")));
    pod_ = maker_.map_at(result, "spec", here("pod of the workload"));
    container_ = maker_.map(here("the one container of a workload"));
    maker_.put(container_, "name", container_name, here("the one container of a workload"));
    append_to(maker_, pod_, "containers", container_);
    maker_.put(pod_, "schedulerName", "runai-scheduler", here("scheduler of Run:ai"));
    program(failure);
    environment();
    resources();
    placement();
    network();
    security();
    storage();
    return result;
  }

 private:
  OriginId here(std::string_view why, View led_by = {}) { return maker_.mark(why, led_by); }

  void copy(NodeId to, std::string_view key, std::string_view field) {
    maker_.put_copy(to, key, value_of(spec_, field));
  }

  void metadata(NodeId metadata) {
    for (std::string_view field : {"labels", "annotations"}) {
      for (View item : items_of(spec_, field)) {
        const NodeId list = maker_.map_at(metadata, field, here(field, item));
        maker_.put_copy(list, item->key, get(item, "value"));
      }
    }
    const auto annotate = [&](const std::string& name, View from, std::string_view value) {
      const OriginId mark = here("a part of a GPU", from);
      maker_.put(maker_.map_at(metadata, "annotations", mark), name, value, mark);
    };
    const View gpu = value_of(spec_, "gpu");
    if (is_part(gpu)) annotate("gpu-fraction", gpu, gpu->text);
    if (const View memory = value_of(spec_, "gpuMemory")) {
      annotate("gpu-memory", memory, memory->text);
    }
    if (const View profile = value_of(spec_, "migProfile")) {
      annotate("nvidia.com/mig-" + std::string(profile->text), profile, "1");
    }
  }

  static bool is_part(View gpu) { return gpu && gpu->text.find('.') != std::string_view::npos; }

  void words(std::string_view key, std::string_view field, std::string& failure) {
    const View line = value_of(spec_, field);
    if (!line) return;
    const auto split = shell_words(line->text);
    if (!split) {
      failure = "a quote of `" + std::string(field) + "` is never closed";
      return;
    }
    const OriginId mark = here("split as a shell does", line);
    const NodeId list = maker_.list(mark);
    for (const std::string& word : *split) maker_.tree.append(list, maker_.text(word, mark));
    maker_.put(container_, key, list);
  }

  void program(std::string& failure) {
    copy(container_, "image", "image");
    copy(container_, "imagePullPolicy", "imagePullPolicy");
    words("command", "command", failure);
    words("args", "arguments", failure);
    copy(container_, "workingDir", "workingDir");
    copy(container_, "stdin", "stdin");
    copy(container_, "tty", "tty");
    copy(pod_, "terminationGracePeriodSeconds", "terminationGracePeriodSeconds");
  }

  /// `SECRET:<name>,<key>` is a reference.
  void environment() {
    constexpr std::string_view kSecret = "SECRET:";
    for (View item : items_of(spec_, "environment")) {
      const View value = get(item, "value");
      const std::string_view text = value->text;
      const std::size_t comma = text.find(',');
      if (!text.starts_with(kSecret) || comma == text.npos) {
        append_env(maker_, container_, item->key, text, here("environment", value));
        continue;
      }
      const OriginId mark = here("a reference to a Secret", value);
      const NodeId made = maker_.map(mark);
      maker_.put(made, "name", item->key, mark);
      const NodeId from = maker_.map_at(made, "valueFrom", mark);
      const NodeId reference = maker_.map_at(from, "secretKeyRef", mark);
      maker_.put(reference, "name", text.substr(kSecret.size(), comma - kSecret.size()), mark);
      maker_.put(reference, "key", text.substr(comma + 1), mark);
      append_env(maker_, container_, made);
    }
  }

  void amount(std::string_view list, std::string_view resource, View value) {
    if (!value) return;
    const OriginId mark = here("resources", value);
    const NodeId resources = maker_.map_at(container_, "resources", mark);
    maker_.put_copy(maker_.map_at(resources, list, mark), resource, value);
  }

  void resources() {
    for (std::string_view resource : {"cpu", "memory"}) {
      amount("requests", resource, value_of(spec_, resource));
      amount("limits", resource, value_of(spec_, std::string(resource) + "Limit"));
    }
    const View gpu = value_of(spec_, "gpu");
    const View devices = value_of(spec_, "gpuDevices");
    if (gpu && !is_part(gpu) && gpu->text != "0") amount("limits", "nvidia.com/gpu", gpu);
    if (devices) amount("limits", "nvidia.com/gpu", devices);
    for (View item : items_of(spec_, "extendedResources")) {
      amount("limits", item->key, get(item, "value"));
    }
  }

  void placement() {
    if (const View type = value_of(spec_, "nodeType")) {
      const OriginId mark = here("nodeType", type);
      maker_.put(maker_.map_at(pod_, "nodeSelector", mark), "run.ai/type", type.text(), mark);
    }
    const View pools =
        value_of(spec_, "nodePools") ? value_of(spec_, "nodePools") : value_of(spec_, "nodePool");
    if (pools) node_pools(pools);
    for (View item : items_of(spec_, "tolerations")) {
      const View given = get(item, "value");
      const NodeId made = maker_.map(here("tolerations", item));
      for (std::string_view key : {"key", "operator", "value", "effect"}) {
        maker_.put_copy(made, key, get(given, key));
      }
      maker_.put_copy(made, "tolerationSeconds", get(given, "seconds"));
      append_to(maker_, pod_, "tolerations", made);
    }
  }

  void node_pools(View pools) {
    const OriginId mark = here("node pools, in the order of preference", pools);
    const NodeId expression = maker_.map(mark);
    maker_.put(expression, "key", "runai/node-pool", mark);
    maker_.put(expression, "operator", "In", mark);
    const NodeId values = maker_.list_at(expression, "values", mark);
    const auto names = shell_words(pools->text);
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
      maker_.tree.append(values, maker_.text(name, mark));
    }
    const NodeId term = maker_.map(mark);
    append_to(maker_, term, "matchExpressions", expression);
    const NodeId affinity = maker_.map_at(pod_, "affinity", mark);
    const NodeId nodes = maker_.map_at(affinity, "nodeAffinity", mark);
    append_to(maker_, maker_.map_at(nodes, "requiredDuringSchedulingIgnoredDuringExecution", mark),
              "nodeSelectorTerms", term);
  }

  void network() {
    copy(pod_, "hostNetwork", "hostNetwork");
    copy(pod_, "hostIPC", "hostIpc");
    for (View item : items_of(spec_, "ports")) {
      const NodeId made = maker_.map(here("ports", item));
      maker_.put_copy(made, "containerPort", get(get(item, "value"), "container"));
      append_to(maker_, container_, "ports", made);
    }
  }

  void security() {
    const OriginId mark = here("security");
    const auto context = [&](NodeId owner) {
      return maker_.map_at(owner, "securityContext", mark);
    };
    if (is_true(value_of(spec_, "runAsUser"))) {
      copy(context(pod_), "runAsUser", "runAsUid");
      copy(context(pod_), "runAsGroup", "runAsGid");
    }
    if (const View groups = value_of(spec_, "supplementalGroups")) supplemental(groups);
    if (value_of(spec_, "runAsNonRoot")) copy(context(pod_), "runAsNonRoot", "runAsNonRoot");
    if (const View type = value_of(spec_, "seccompProfileType")) {
      maker_.put_copy(maker_.map_at(context(pod_), "seccompProfile", mark), "type", type);
    }
    if (value_of(spec_, "allowPrivilegeEscalation")) {
      copy(context(container_), "allowPrivilegeEscalation", "allowPrivilegeEscalation");
    }
    if (const View added = value_of(spec_, "capabilities")) {
      maker_.put_copy(maker_.map_at(context(container_), "capabilities", mark), "add", added);
    }
  }

  void supplemental(View groups) {
    const OriginId mark = here("supplementalGroups", groups);
    const NodeId list = maker_.list(mark);
    std::string_view rest = groups->text;
    while (!rest.empty()) {
      const std::size_t end = rest.find(';');
      maker_.tree.append(list,
                         maker_.tree.add(Kind::Int, maker_.tree.intern(rest.substr(0, end)), mark));
      rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    }
    maker_.put(maker_.map_at(pod_, "securityContext", mark), "supplementalGroups", list);
  }

  /// A mounted volume whose source is made by `fill`.
  template <class Fill>
  void volume(View item, std::string_view source, std::string_view path_key, Fill fill) {
    const View value = get(item, "value");
    const OriginId mark = here("storage", item);
    const NodeId made = maker_.map(mark);
    maker_.put(made, "name", item->key, mark);
    fill(maker_.map_at(made, source, mark), value);
    append_to(maker_, pod_, "volumes", made);
    const NodeId place = maker_.map(mark);
    maker_.put(place, "name", item->key, mark);
    maker_.put_copy(place, "mountPath", get(value, path_key));
    if (is_true(get(value, "readOnly"))) {
      maker_.put_copy(place, "readOnly", get(value, "readOnly"));
    }
    append_to(maker_, container_, "volumeMounts", place);
  }

  void storage() {
    for (View item : items_of(spec_, "pvcs")) {
      volume(item, "persistentVolumeClaim", "path", [&](NodeId source, View value) {
        maker_.put_copy(source, "claimName", get(value, "claimName"));
      });
    }
    for (View item : items_of(spec_, "nfs")) {
      volume(item, "nfs", "mountPath", [&](NodeId source, View value) {
        maker_.put_copy(source, "server", get(value, "server"));
        maker_.put_copy(source, "path", get(value, "path"));
      });
    }
    for (View item : items_of(spec_, "volumes")) {
      volume(item, "hostPath", "mountPath", [&](NodeId source, View value) {
        maker_.put_copy(source, "path", get(value, "path"));
      });
    }
    for (View item : items_of(spec_, "configMapVolumes")) {
      volume(item, "configMap", "mountPath", [&](NodeId source, View value) {
        maker_.put_copy(source, "name", get(value, "name"));
      });
    }
    for (View item : items_of(spec_, "secretVolumes")) {
      volume(item, "secret", "mountPath", [&](NodeId source, View value) {
        maker_.put_copy(source, "secretName", get(value, "name"));
      });
    }
    for (View item : items_of(spec_, "emptyDirVolumes")) {
      volume(item, "emptyDir", "path", [](NodeId, View) {});
    }
    if (is_true(value_of(spec_, "largeShm"))) shared_memory();
  }

  void shared_memory() {
    const OriginId mark = here("largeShm", value_of(spec_, "largeShm"));
    const NodeId made = maker_.map(mark);
    maker_.put(made, "name", "dshm", mark);
    maker_.put(maker_.map_at(made, "emptyDir", mark), "medium", "Memory", mark);
    append_to(maker_, pod_, "volumes", made);
    append_to(maker_, container_, "volumeMounts", mount(maker_, "dshm", "/dev/shm", mark));
  }

  PodBuilder& maker_;
  View spec_;
  NodeId pod_ = kNoNode;
  NodeId container_ = kNoNode;
};

/// The variables that every container gets.
void add_platform(PodBuilder& maker, View workload, View spec, NodeId container) {
  const OriginId mark = maker.mark("set in every container");
  std::string_view project = namespace_of(workload);
  if (project.starts_with("runai-")) project.remove_prefix(6);
  append_env(maker, container, "RUNAI_JOB_NAME", workload_name(workload), mark);
  append_env(maker, container, "RUNAI_PROJECT", project, mark);
  const View gpu = value_of(spec, value_of(spec, "gpu") ? "gpu" : "gpuDevices");
  append_env(maker, container, "RUNAI_NUM_OF_GPUS", gpu ? gpu->text : "0",
             maker.mark("GPUs of the pod", gpu));
}

constexpr std::string_view kController = "runai";
constexpr std::string_view kUnsure =
    "Run:ai adds more that only the cluster shows, and its own fields are known from public "
    "manifests only";

std::vector<PodRole> training_roles(View) {
  return {{"pod", 1}};
}

EffectivePod training_pod(PodBuilder& maker, View workload, std::string_view, std::int64_t,
                          KubernetesVersion) {
  maker.act_for(kController);
  EffectivePod result;
  const View spec = get(workload, "spec");
  if (is_true(value_of(spec, "mpi"))) {
    result.failure = "with `mpi` the workload becomes an MPIJob, whose pods are not known";
    return result;
  }
  const std::string name = workload_name(workload);
  const NodeId form = PodTemplate(maker, spec).build(name, result.failure);
  if (!result.failure.empty()) return result;
  const PodDraft draft = draft_pod(maker, maker.view(form));
  result.root = draft.pod;
  add_platform(maker, workload, spec, containers(maker, draft.spec).front());
  maker.put(draft.spec, "restartPolicy", "Never", maker.mark("failed pods are created again"));
  result.name = result.hostname = name + "-0-0";
  name_pod(maker, draft, result.name, get(get(workload, "metadata"), "namespace"),
           maker.mark("name of the workload and two indices", value_of(spec, "name")));
  result.notes.emplace_back(kUnsure);
  return result;
}

/// The job of an operator that a DistributedWorkload becomes.
struct JobForm {
  std::string_view type;  // as `jobType` and the job itself call it
  std::string_view api_version;
  std::string_view specs;
  std::string_view container;
  std::string_view first;  // the role of `masterSpec`; "" where all pods are workers
};
constexpr JobForm kForms[] = {
    {"PyTorchJob", "kubeflow.org/v1", "pytorchReplicaSpecs", "pytorch", "Master"},
    {"TFJob", "kubeflow.org/v1", "tfReplicaSpecs", "tensorflow", "Master"},
    {"XGBoostJob", "kubeflow.org/v1", "xgbReplicaSpecs", "xgboost", "Master"},
    {"JAXJob", "kubeflow.org/v1", "jaxReplicaSpecs", "jax", ""},
    {"MPIJob", "kubeflow.org/v2beta1", "mpiReplicaSpecs", "mpi", "Launcher"},
};

const JobForm* form_of(View workload) {
  const std::string_view type = string_at(get(workload, "spec"), "jobType");
  for (const JobForm& form : kForms) {
    if (form.type == type) return &form;
  }
  return nullptr;
}

std::vector<PodRole> distributed_roles(View workload) {
  const JobForm* form = form_of(workload);
  const std::int64_t workers = integer_of(value_of(get(workload, "spec"), "workers")).value_or(1);
  const std::string first(form == nullptr ? "Master" : form->first);
  if (first.empty()) return {{"Worker", workers}};
  return {{first, 1}, {"Worker", workers}};
}

/// The spec of a role: without a `masterSpec` the first one is like the workers.
View spec_of(View workload, bool first) {
  const View master = get(workload, "masterSpec");
  return first && master ? master : get(workload, "spec");
}

/// What a job of the type has beside its pods, from the values that the workload has for it.
void add_values(PodBuilder& maker, View workload, const JobForm& form, NodeId spec) {
  const auto copy = [&](View values, NodeId to, std::string_view field) {
    if (const View value = value_of(values, field)) maker.put_copy(to, field, value);
  };
  const View own = get(workload, "spec");
  if (form.type == "MPIJob") {
    const View values = get(get(own, "mpiJob"), "values");
    for (std::string_view field : {"slotsPerWorker", "sshAuthMountPath"}) copy(values, spec, field);
  }
  const View values = get(get(own, "pyTorchJob"), "values");
  if (form.type != "PyTorchJob" || !value_of(values, "maxReplicas")) return;
  const OriginId mark = maker.mark("range of an elastic job", values);
  const NodeId policy = maker.map_at(spec, "elasticPolicy", mark);
  for (std::string_view field : {"minReplicas", "maxReplicas"}) copy(values, policy, field);
}

NodeId job_of(PodBuilder& maker, View workload, const JobForm& form, std::string& failure) {
  const OriginId mark = maker.mark("job of the operator");
  const NodeId job = maker.map(mark);
  maker.put(job, "apiVersion", form.api_version, mark);
  maker.put(job, "kind", form.type, mark);
  const NodeId metadata = maker.map_at(job, "metadata", mark);
  maker.put(metadata, "name", workload_name(workload), mark);
  maker.put_copy(metadata, "namespace", get(get(workload, "metadata"), "namespace"));
  const NodeId spec = maker.map_at(job, "spec", mark);
  add_values(maker, workload, form, spec);
  const NodeId specs = maker.map_at(spec, form.specs, mark);
  for (const PodRole& role : distributed_roles(workload)) {
    const View pods = spec_of(workload, role.name == form.first);
    const NodeId replica = maker.map_at(specs, role.name, mark);
    maker.put(replica, "replicas", maker.number(role.count, mark));
    const NodeId pod = PodTemplate(maker, pods).build(form.container, failure);
    const NodeId pod_spec = maker.tree.find(pod, "spec");
    add_platform(maker, workload, pods, containers(maker, pod_spec).front());
    maker.put(replica, "template", pod);
  }
  return job;
}

EffectivePod distributed_pod(PodBuilder& maker, View workload, std::string_view role,
                             std::int64_t index, KubernetesVersion version) {
  maker.act_for(kController);
  EffectivePod result;
  const JobForm* form = form_of(workload);
  if (form == nullptr) {
    result.failure =
        "the pods of a `jobType` other than PyTorchJob, TFJob, XGBoostJob, JAXJob and MPIJob "
        "are not known";
    return result;
  }
  const View job = maker.view(job_of(maker, workload, *form, result.failure));
  if (!result.failure.empty()) return result;
  result = find_pod_kind(job)->pod(maker, job, role, index, version);
  result.notes.emplace_back(kUnsure);
  return result;
}

}  // namespace

View run_ai_job(PodBuilder& maker, View workload) {
  maker.act_for(kController);
  const JobForm* form = form_of(workload);
  if (form == nullptr) return {};
  std::string failure;
  const View job = maker.view(job_of(maker, workload, *form, failure));
  return failure.empty() ? job : View();
}

constinit const PodKind kRunAiTrainingPods = {
    "run.ai",       "TrainingWorkload", "v2alpha1", kController, "run-ai/runai-cli charts/runai",
    training_roles, training_pod};

constinit const PodKind kRunAiDistributedPods = {"run.ai",
                                                 "DistributedWorkload",
                                                 "v2alpha1",
                                                 kController,
                                                 "run-ai/runai-cli charts/mpijob",
                                                 distributed_roles,
                                                 distributed_pod};

}  // namespace trainyard
