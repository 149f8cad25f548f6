#include "plan/fields.h"

#include <algorithm>
#include <vector>

namespace trainyard {
namespace {

template <class T>
PlanValue of(const Field<T>& field) {
  if (!field.is_set) return {};
  return {field.value, field.origin};
}

template <class T>
PlanValue list(const std::vector<T>& items) {
  if (items.empty()) return {};
  return {std::span<const T>(items), kNoOrigin};
}

PlanValue text(std::string_view value, OriginId origin) {
  if (value.empty()) return {};
  return {value, origin};
}

PlanValue flag(bool value, OriginId origin) {
  if (!value) return {};
  return {true, origin};
}

// Sorted by path: looked up by binary search.
constexpr PlanField kFields[] = {
    {"claim.name", false, "Name of a claim that the job brings along.",
     [](const Scope& s) { return text(s.claim->name, s.claim->origin); }},
    {"claim.spec", true, "Spec of that claim.", [](const Scope& s) { return of(s.claim->spec); }},
    {"configMap.binary", true, "Files that are not text, in base64.",
     [](const Scope& s) { return list(s.config_map->binary); }},
    {"configMap.name", false, "Name of a ConfigMap with staged files, made from their content.",
     [](const Scope& s) { return text(s.config_map->name, s.config_map->origin); }},
    {"configMap.text", true, "Text files by key.",
     [](const Scope& s) { return list(s.config_map->text); }},
    {"env.fieldPath", false, "The pod's own field that the variable takes its value from.",
     [](const Scope& s) { return text(s.env->field_path, s.env->origin); }},
    {"env.key", false, "The key of the Secret that holds the value.",
     [](const Scope& s) { return text(s.env->key, s.env->origin); }},
    {"env.name", false, "Name of the variable.",
     [](const Scope& s) { return text(s.env->name, s.env->origin); }},
    {"env.optional", false, "True when the pod starts without the Secret's key; absent otherwise.",
     [](const Scope& s) { return flag(s.env->optional, s.env->origin); }},
    {"env.secret", false, "The Secret that holds the value.",
     [](const Scope& s) { return text(s.env->secret, s.env->origin); }},
    {"env.value", false, "The value, when it is a literal; may be empty.",
     [](const Scope& s) {
       return s.env->is_literal() ? PlanValue{s.env->value, s.env->origin} : PlanValue{};
     }},
    {"exit.code", false, "An exit code that decides whether a failure ends the job.",
     [](const Scope& s) { return PlanValue{s.exit->code, s.exit->origin}; }},
    {"exit.final", false, "True when it does; absent when the job is started again.",
     [](const Scope& s) { return flag(s.exit->is_final, s.exit->origin); }},
    {"gang.minMember", false, "How many pods start together.",
     [](const Scope& s) { return of(s.plan->gang.min_member); }},
    {"gang.ownGroup", false, "Name of the PodGroup that the job brings along.",
     [](const Scope& s) { return of(s.plan->gang.own_group); }},
    {"gang.priorityClass", false, "Priority class of the PodGroup.",
     [](const Scope& s) { return of(s.plan->gang.priority_class); }},
    {"gang.system", false, "Gang scheduling system; absent when pods start one by one.",
     [](const Scope& s) { return of(s.plan->gang.system); }},
    {"gang.timeout", false, "Seconds that a started gang waits for its last pod.",
     [](const Scope& s) { return of(s.plan->gang.timeout); }},
    {"job.annotations", true, "Annotations of every object.",
     [](const Scope& s) { return list(s.plan->annotations); }},
    {"job.entrypoint", false, "The program as one line for a shell, where no pod starts it.",
     [](const Scope& s) { return of(s.plan->entrypoint); }},
    {"job.framework", false, "Framework of the job, as the spec calls it.",
     [](const Scope& s) { return of(s.plan->framework); }},
    {"job.labels", true, "Labels of every object.",
     [](const Scope& s) { return list(s.plan->labels); }},
    {"job.multiNode", false, "True when more than one pod takes part.",
     [](const Scope& s) { return of(s.plan->multi_node); }},
    {"job.name", false, "Name of the job and of its main object.",
     [](const Scope& s) { return of(s.plan->name); }},
    {"job.namespace", false, "Namespace; absent when the spec names none.",
     [](const Scope& s) { return of(s.plan->ns); }},
    {"job.queue", false, "Queue that admits the job.",
     [](const Scope& s) { return of(s.plan->queue); }},
    {"job.runtimeEnv", false, "YAML of what the program needs from Ray.",
     [](const Scope& s) { return of(s.plan->runtime_env); }},
    {"job.selector", true, "Labels that only this job's pods have.",
     [](const Scope& s) { return list(s.plan->selector); }},
    {"job.workloadAnnotations", true, "Annotations of the main object, its queue's among them.",
     [](const Scope& s) { return list(s.plan->workload_annotations); }},
    {"job.workloadLabels", true, "Labels of the main object, which may be queued by them.",
     [](const Scope& s) { return list(s.plan->workload_labels); }},
    {"lifecycle.deadline", false, "Seconds that the whole job may run.",
     [](const Scope& s) { return of(s.plan->lifecycle.deadline); }},
    {"lifecycle.failurePolicy", true, "Which failures count, which are ignored, which end the job.",
     [](const Scope& s) { return of(s.plan->lifecycle.failure_policy); }},
    {"lifecycle.othersFinal", false,
     "True when all failures but those of `lifecycle.exits` end the job; absent otherwise.",
     [](const Scope& s) { return of(s.plan->lifecycle.others_final); }},
    {"lifecycle.restarts", false, "How often the whole job is started again.",
     [](const Scope& s) { return of(s.plan->lifecycle.restarts); }},
    {"lifecycle.retries", false, "How many failed pods the job survives.",
     [](const Scope& s) { return of(s.plan->lifecycle.retries); }},
    {"lifecycle.starts", false, "How often the whole job is started, the first time included.",
     [](const Scope& s) { return of(s.plan->lifecycle.starts); }},
    {"lifecycle.suspend", false, "True when the job waits for someone to resume it.",
     [](const Scope& s) { return of(s.plan->lifecycle.suspend); }},
    {"lifecycle.ttl", false, "Seconds that a finished job is kept.",
     [](const Scope& s) { return of(s.plan->lifecycle.ttl); }},
    {"mount.path", false, "Where a volume is mounted.",
     [](const Scope& s) { return text(s.mount->path, s.mount->origin); }},
    {"mount.readOnly", false, "True when the mount is read-only; absent otherwise.",
     [](const Scope& s) { return flag(s.mount->read_only, s.mount->origin); }},
    {"mount.subPath", false, "The part of the volume that is mounted.",
     [](const Scope& s) { return text(s.mount->sub_path, s.mount->origin); }},
    {"mount.volume", false, "Name of the mounted volume.",
     [](const Scope& s) { return text(s.mount->volume, s.mount->origin); }},
    {"mpirun.gang", false,
     "Pods that start together: all, or all but a launcher that is made when they are ready.",
     [](const Scope& s) { return of(s.plan->mpirun.gang); }},
    {"mpirun.implementation", false,
     "The MPI of the image, where the spec names it: OpenMPI, Intel or MPICH.",
     [](const Scope& s) { return of(s.plan->mpirun.implementation); }},
    {"mpirun.launcherWorks", false, "True when the launcher trains, too; absent otherwise.",
     [](const Scope& s) { return of(s.plan->mpirun.launcher_works); }},
    {"mpirun.slots", false, "Processes that mpirun starts on each node.",
     [](const Scope& s) { return of(s.plan->mpirun.slots); }},
    {"mpirun.sshPath", false,
     "Where the ssh keys are mounted, if not at the controller's own place.",
     [](const Scope& s) { return of(s.plan->mpirun.ssh_path); }},
    {"rendezvous.master", false, "Host name of rank 0.",
     [](const Scope& s) { return of(s.plan->rendezvous.master); }},
    {"rendezvous.nodes", false, "How many nodes have a rank.",
     [](const Scope& s) { return of(s.plan->rendezvous.nodes); }},
    {"rendezvous.port", false, "Port of rank 0.",
     [](const Scope& s) { return of(s.plan->rendezvous.port); }},
    {"rendezvous.service", false,
     "Name of the headless Service through which pods find each other.",
     [](const Scope& s) { return of(s.plan->rendezvous.service); }},
    {"role.affinity", true, "Affinity of the pods.",
     [](const Scope& s) { return of(s.role->affinity); }},
    {"role.args", true, "Arguments, one item each.",
     [](const Scope& s) { return list(s.role->args); }},
    {"role.command", true, "The command, one item each.",
     [](const Scope& s) { return list(s.role->command); }},
    {"role.containerName", false, "Name of the training container.",
     [](const Scope& s) { return of(s.role->container_name); }},
    {"role.containerSecurity", true, "Security context of the container.",
     [](const Scope& s) { return of(s.role->container_security); }},
    {"role.dnsPolicy", false, "How the pods resolve names.",
     [](const Scope& s) { return of(s.role->dns_policy); }},
    {"role.endsJob", false, "True when the job ends with the pods of this role and not of all.",
     [](const Scope& s) { return of(s.role->ends_job); }},
    {"role.envFrom", true, "Whole Secrets and ConfigMaps taken as variables.",
     [](const Scope& s) { return list(s.role->env_from); }},
    {"role.firstRank", false, "Rank of the node of the role's first pod.",
     [](const Scope& s) { return of(s.role->first_rank); }},
    {"role.gpus", false, "GPUs per pod.", [](const Scope& s) { return of(s.role->gpus); }},
    {"role.gracePeriod", false, "Seconds between SIGTERM and SIGKILL.",
     [](const Scope& s) { return of(s.role->grace_period); }},
    {"role.hostNetwork", false, "Whether the pods use the network of their node.",
     [](const Scope& s) { return of(s.role->host_network); }},
    {"role.image", false, "Image of the container.",
     [](const Scope& s) { return of(s.role->image); }},
    {"role.imagePullPolicy", false, "When the image is pulled.",
     [](const Scope& s) { return of(s.role->image_pull_policy); }},
    {"role.imagePullSecrets", true, "Secrets that the image is pulled with.",
     [](const Scope& s) { return list(s.role->image_pull_secrets); }},
    {"role.initContainers", true, "Containers that run first, and sidecars.",
     [](const Scope& s) { return list(s.role->init_containers); }},
    {"role.limits", true, "Resource limits.", [](const Scope& s) { return list(s.role->limits); }},
    {"role.mountToken", false, "Whether the service account's token is mounted.",
     [](const Scope& s) { return of(s.role->mount_token); }},
    {"role.name", false, "Name of the role.",
     [](const Scope& s) { return text(s.role->name, s.role->replicas.origin); }},
    {"role.nodeSelector", true, "Labels that a node must have.",
     [](const Scope& s) { return list(s.role->node_selector); }},
    {"role.pod", true, "The whole pod template of the role.",
     [](const Scope&) { return PlanValue{PodOfRole{}, kNoOrigin}; }},
    {"role.podAnnotations", true, "Annotations of the pods.",
     [](const Scope& s) { return list(s.role->pod_annotations); }},
    {"role.podLabels", true, "Labels of the pods.",
     [](const Scope& s) { return list(s.role->pod_labels); }},
    {"role.podSecurity", true, "Security context of the pods.",
     [](const Scope& s) { return of(s.role->pod_security); }},
    {"role.ports", true, "Ports of the container.",
     [](const Scope& s) { return of(s.role->ports); }},
    {"role.priorityClass", false, "Priority class of the pods.",
     [](const Scope& s) { return of(s.role->priority_class); }},
    {"role.processes", false, "Processes per pod.",
     [](const Scope& s) { return of(s.role->processes); }},
    {"role.readiness", true, "Probe by which the container is known to be ready.",
     [](const Scope& s) { return of(s.role->readiness); }},
    {"role.replicaRestartPolicy", false,
     "What happens to a container that ends, where it stands beside the pod's template.",
     [](const Scope& s) { return of(s.role->replica_restart_policy); }},
    {"role.replicas", false, "How many pods the role has.",
     [](const Scope& s) { return of(s.role->replicas); }},
    {"role.requests", true, "Resource requests.",
     [](const Scope& s) { return list(s.role->requests); }},
    {"role.restartPolicy", false, "What happens to a container that ends.",
     [](const Scope& s) { return of(s.role->restart_policy); }},
    {"role.runtimeClass", false, "Runtime class of the pods.",
     [](const Scope& s) { return of(s.role->runtime_class); }},
    {"role.scheduler", false, "Scheduler of the pods.",
     [](const Scope& s) { return of(s.role->scheduler); }},
    {"role.schedulingGroup", false, "PodGroup of Kubernetes that the pods belong to.",
     [](const Scope& s) { return of(s.role->scheduling_group); }},
    {"role.serviceAccount", false, "Service account of the pods.",
     [](const Scope& s) { return of(s.role->service_account); }},
    {"role.serviceLinks", false, "Whether every Service of the namespace becomes variables.",
     [](const Scope& s) { return of(s.role->service_links); }},
    {"role.spread", true, "Topology spread constraints.",
     [](const Scope& s) { return of(s.role->spread); }},
    {"role.subdomain", false, "The Service whose DNS zone the pods are in.",
     [](const Scope& s) { return of(s.role->subdomain); }},
    {"role.tolerations", true, "Taints that the pods tolerate.",
     [](const Scope& s) { return list(s.role->tolerations); }},
    {"role.trains", false, "True when the role takes part in training; absent otherwise.",
     [](const Scope& s) { return flag(s.role->trains, s.role->replicas.origin); }},
    {"role.volumes", true, "Volumes of the pods.",
     [](const Scope& s) { return list(s.role->volumes); }},
    {"role.workingDir", false, "Directory in which the command starts.",
     [](const Scope& s) { return of(s.role->working_dir); }},
};

constexpr PlanLoop kLoops[] = {
    {"job.claims", "claim", [](const Scope& s) { return s.plan->claims.size(); },
     [](Scope& s, std::size_t i) { s.claim = &s.plan->claims[i]; }},
    {"job.configMaps", "configMap", [](const Scope& s) { return s.plan->config_maps.size(); },
     [](Scope& s, std::size_t i) { s.config_map = &s.plan->config_maps[i]; }},
    {"job.roles", "role", [](const Scope& s) { return s.plan->roles.size(); },
     [](Scope& s, std::size_t i) { s.role = &s.plan->roles[i]; }},
    {"lifecycle.exits", "exit", [](const Scope& s) { return s.plan->lifecycle.exits.size(); },
     [](Scope& s, std::size_t i) { s.exit = &s.plan->lifecycle.exits[i]; }},
    {"role.env", "env", [](const Scope& s) { return s.role->env.size(); },
     [](Scope& s, std::size_t i) { s.env = &s.role->env[i]; }},
    {"role.mounts", "mount", [](const Scope& s) { return s.role->mounts.size(); },
     [](Scope& s, std::size_t i) { s.mount = &s.role->mounts[i]; }},
};

template <class T>
const T* find_by_path(std::span<const T> table, std::string_view path) {
  const auto found =
      std::lower_bound(table.begin(), table.end(), path,
                       [](const T& row, std::string_view p) { return row.path < p; });
  return found != table.end() && found->path == path ? &*found : nullptr;
}

}  // namespace

std::span<const PlanField> plan_fields() {
  return kFields;
}
std::span<const PlanLoop> plan_loops() {
  return kLoops;
}

const PlanField* find_plan_field(std::string_view path) {
  return find_by_path(plan_fields(), path);
}
const PlanLoop* find_plan_loop(std::string_view path) {
  return find_by_path(plan_loops(), path);
}

}  // namespace trainyard
