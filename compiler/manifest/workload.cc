#include "manifest/workload.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kReplicas = "replicas";
constexpr std::string_view kJobTemplate = "template.spec.template";
constexpr std::string_view kJobCounts = "replicas template.spec.parallelism";

constexpr WorkloadPlace kPlaces[] = {
    {"batch", "Job", "spec", "template", "parallelism"},
    {"batch", "CronJob", "spec.jobTemplate.spec", "template", "parallelism"},
    {"jobset.x-k8s.io", "JobSet", "spec.replicatedJobs[]", kJobTemplate, kJobCounts, "name",
     "launcher"},

    {"kubeflow.org", "PyTorchJob", "spec.pytorchReplicaSpecs.*", "template", kReplicas},
    {"kubeflow.org", "TFJob", "spec.tfReplicaSpecs.*", "template", kReplicas},
    {"kubeflow.org", "XGBoostJob", "spec.xgbReplicaSpecs.*", "template", kReplicas},
    {"kubeflow.org", "PaddleJob", "spec.paddleReplicaSpecs.*", "template", kReplicas},
    {"kubeflow.org", "JAXJob", "spec.jaxReplicaSpecs.*", "template", kReplicas},
    {"kubeflow.org", "MPIJob", "spec.mpiReplicaSpecs.*", "template", kReplicas, {}, "Launcher"},

    {"trainer.kubeflow.org", "TrainJob", "spec.trainer", {}, "numNodes"},
    {"trainer.kubeflow.org", "TrainingRuntime", "spec.template.spec.replicatedJobs[]", kJobTemplate,
     kJobCounts, "name", "launcher"},
    {"trainer.kubeflow.org", "ClusterTrainingRuntime", "spec.template.spec.replicatedJobs[]",
     kJobTemplate, kJobCounts, "name", "launcher"},

    {"batch.volcano.sh", "Job", "spec.tasks[]", "template", kReplicas, "name"},
    {"ray.io", "RayCluster", "spec.headGroupSpec", "template", {}, {}, "*"},
    {"ray.io", "RayCluster", "spec.workerGroupSpecs[]", "template", "replicas numOfHosts",
     "groupName"},
    {"ray.io", "RayJob", "spec.rayClusterSpec.headGroupSpec", "template", {}, {}, "*"},
    {"ray.io", "RayJob", "spec.rayClusterSpec.workerGroupSpecs[]", "template",
     "replicas numOfHosts", "groupName"},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "spec.leaderWorkerTemplate", "workerTemplate",
     "size"},

    // Where they run a launcher: see read_workload.
    {"apps", "StatefulSet", "spec", "template", kReplicas},
    {"apps", "Deployment", "spec", "template", kReplicas},
};

constexpr std::int64_t kMany = 1'000'000;

/// Whether a container starts processes that share a training, or gets the addresses of others.
bool trains(View container) {
  static constexpr std::string_view kMeetingPlace = "--dist-init-addr";  // of SGLang
  return torchrun_call(container) || accelerate_call(container) || deepspeed_call(container) ||
         variable(container, "MASTER_ADDR") || variable(container, "PET_MASTER_ADDR") ||
         contains_text(container, kMeetingPlace);
}

View at_path(View from, std::string_view path) {
  View found;
  each_at(from, path, [&found](View at) { found = at; });
  return found;
}

/// What the pods at this path get on the way, as the table of templates has it.
PodPlace pod_place(const WorkloadPlace& place) {
  const std::string path = std::string(place.role) + "." + std::string(place.pod);
  for (const PodPlace& each : pod_places()) {
    if (each.group == place.group && each.kind == place.kind && each.path == path) return each;
  }
  return {place.group, place.kind, {}};
}

void count_pods(const WorkloadPlace& place, WorkloadRole& role) {
  for (std::string_view rest = place.counts; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view path = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const View at = at_path(role.holder, path);
    View most;
    if (path.ends_with("parallelism")) {
      // No more pods of a Job run at once than are left to complete.
      const View job =
          path.starts_with("template") ? at_path(role.holder, "template.spec") : role.holder;
      most = get(job, "completions");
    }
    if (at && !role.count) role.count = at;
    role.pods = multiplied_counts(role.pods, count_of(at, most));
  }
}

WorkloadRole read_role(View object, View holder, const WorkloadPlace& place) {
  WorkloadRole role;
  role.holder = holder;
  if (!place.name.empty()) {
    role.name = string_at(holder, place.name);
  } else if (place.role.ends_with(".*")) {
    role.name = holder.key();
  }
  role.is_launcher =
      place.launcher == "*" || (!place.launcher.empty() && place.launcher == role.name);
  count_pods(place, role);
  if (place.pod.empty()) {
    role.containers.push_back(holder);
    return role;
  }
  if (const View templ = at_path(holder, place.pod); templ && templ->is_map()) {
    role.pod = read_pod(object, templ, pod_place(place));
  }
  for (const PodContainer& each : role.pod.containers) {
    if (each.role == ContainerRole::Regular) role.containers.push_back(each.node);
  }
  return role;
}

/// Trainer gives the number of nodes to the Job of the step `trainer`, which is called `node`;
/// where mpirun starts the ranks that Job is the launcher, and the TrainJob alone has the number.
void runtime_nodes(Workload& workload) {
  const View policy = get(workload.spec, "mlPolicy");
  const View mpi = get(policy, "mpi");
  for (WorkloadRole& role : workload.roles) {
    if (mpi && role.name == "launcher") role.is_launcher = !is_true(get(mpi, "runLauncherAsNode"));
  }
  if (mpi) return;
  const View nodes = get(policy, "numNodes");
  for (WorkloadRole& role : workload.roles) {
    if (role.name != "node" || !nodes) continue;
    role.pods = count_of(nodes);
    role.count = nodes;
  }
}

/// A launcher that has a rank as well, and the one that a plugin makes of a task.
void launchers(Workload& workload) {
  const View mpi = get(get(workload.spec, "plugins"), "mpi");
  std::string_view master = "master";
  for (View flag : Items(mpi)) {
    const std::size_t equals = flag->text.find("master=");
    if (equals != std::string_view::npos) master = flag->text.substr(equals + 7);
  }
  for (WorkloadRole& role : workload.roles) {
    if (workload.kind == "MPIJob" && is_true(get(workload.spec, "runLauncherAsWorker"))) {
      role.is_launcher = false;
    }
    if (workload.is("batch.volcano.sh", "Job") && mpi) role.is_launcher = role.name == master;
  }
}

/// The leader is a pod of the group, made from a template of its own where there is one.
void leader_and_workers(Workload& workload) {
  if (workload.roles.empty()) return;
  WorkloadRole& workers = workload.roles.front();
  workers.name = "worker";
  const View leader = get(workers.holder, "leaderTemplate");
  if (!leader || !leader->is_map()) return;
  WorkloadRole first;
  first.name = "leader";
  first.holder = workers.holder;
  first.pod = read_pod(workload.object, leader,
                       {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", {}, kRunsForever});
  for (const PodContainer& each : first.pod.containers) {
    if (each.role == ContainerRole::Regular) first.containers.push_back(each.node);
  }
  workers.pods = std::max<std::int64_t>(workers.pods - 1, 0);
  workload.roles.insert(workload.roles.begin(), std::move(first));
}

/// kubernetes-sigs/jobset pkg/controllers/depends_on.go: a role that waits for `Complete` starts
/// when the other has ended, one that waits for `Ready` runs beside it. It can name those before it
/// only.
void steps(Workload& workload) {
  for (WorkloadRole& role : workload.roles) {
    for (View dependence : items_at(role.holder, "dependsOn")) {
      const WorkloadRole* other = workload.role(string_at(dependence, "name"));
      if (other == nullptr || other == &role) continue;
      const int ended = string_at(dependence, "status") == "Complete" ? 1 : 0;
      role.step = std::max(role.step, other->step + ended);
    }
  }
}

/// The most pods that do the work at one time, of those that `counts` takes.
template <class Counts>
std::int64_t most_at_once(const Workload& workload, Counts counts) {
  std::map<int, std::int64_t> pods;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.is_launcher && counts(role)) pods[role.step] += role.pods;
  }
  std::int64_t most = 0;
  for (const auto& [step, sum] : pods) most = std::max(most, sum);
  return most;
}

void devices(Workload& workload) {
  for (WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const View resources = get(container, role.pod.spec ? "resources" : "resourcesPerNode");
      role.devices = role.devices + devices_of(resources);
    }
  }
  workload.gpu_pods =
      most_at_once(workload, [](const WorkloadRole& role) { return role.devices.all() > 0; });
}

}  // namespace

std::int64_t count_of(View number, View limit) {
  const std::int64_t count = std::clamp<std::int64_t>(integer_of(number).value_or(1), 0, kMany);
  return std::min(count, integer_of(limit).value_or(count));
}

std::int64_t multiplied_counts(std::int64_t a, std::int64_t b) {
  return std::min(a * b, kMany);
}

std::span<const WorkloadPlace> workload_places() {
  return kPlaces;
}

const WorkloadRole* Workload::role(std::string_view name) const {
  const auto found = std::ranges::find(roles, name, &WorkloadRole::name);
  return found == roles.end() ? nullptr : &*found;
}

std::int64_t Workload::pods() const {
  std::int64_t sum = 0;
  for (const WorkloadRole& role : roles) sum += role.pods;
  return sum;
}

std::int64_t Workload::working_pods() const {
  return most_at_once(*this, [](const WorkloadRole&) { return true; });
}

Workload read_workload(View object, std::string_view group, std::string_view kind) {
  Workload workload{object, get(object, "spec"), group, kind, {}};
  for (const WorkloadPlace& place : kPlaces) {
    if (place.group != group || place.kind != kind) continue;
    each_at(object, place.role, [&](View holder) {
      if (holder->is_map()) workload.roles.push_back(read_role(object, holder, place));
    });
  }
  if (group == "apps") {  // mostly services, whose pods have nothing to do with each other
    const bool any = std::ranges::any_of(workload.roles, [](const WorkloadRole& role) {
      return std::ranges::any_of(role.containers, trains);
    });
    if (!any) workload.roles.clear();
  }
  if (kind.ends_with("TrainingRuntime")) runtime_nodes(workload);
  steps(workload);
  launchers(workload);
  if (kind == "LeaderWorkerSet") leader_and_workers(workload);
  devices(workload);
  return workload;
}

}  // namespace trainyard
