#include "plan/fields.h"

#include <algorithm>

#include "plan/field_values.h"

namespace trainyard {
namespace {

using values::flag;
using values::list;
using values::of;
using values::text;

/// A part of a structure in Kubernetes' shape.
PlanValue of(View part) {
  if (!part) return {};
  switch (part->kind) {
    case Kind::Int:
      return {as_int64(*part).value_or(0), part->origin};
    case Kind::Bool:
      return {part.text() == "true", part->origin};
    case Kind::Map:
    case Kind::Seq:
      return {part.id(), part->origin};
    default:
      return {part.text(), part->origin};
  }
}

PlanValue of(const Scope& s, const Fragment& whole, std::string_view key) {
  return whole.is_set ? of(View(s.plan->tree, *whole)[key]) : PlanValue{};
}

/// An entry of the toleration or port in scope.
PlanValue entry(const Scope& s, std::string_view key) {
  return of(View(s.plan->tree, s.node)[key]);
}

PlanValue number_in_list(const Scope& s) {
  return {static_cast<std::int64_t>(s.index), kNoOrigin};
}

PlanValue amount(const std::vector<NamedValue>& list, std::string_view name) {
  for (const NamedValue& each : list) {
    if (each.name == name) return {each.value, each.origin};
  }
  return {};
}

/// The source of the mounted volume, when it is of this kind.
View mounted(const Scope& s, std::string_view kind) {
  for (const Volume& volume : s.role->volumes) {
    if (volume.name == s.mount->volume) return View(s.plan->tree, volume.fragment)[kind];
  }
  return {};
}

bool is_memory(View directory) {
  return directory && directory["medium"].text() == "Memory";
}

/// Whether the role has memory at /dev/shm.
PlanValue shared_memory(Scope s) {
  for (const VolumeMount& mount : s.role->mounts) {
    s.mount = &mount;
    if (mount.path == "/dev/shm" && is_memory(mounted(s, "emptyDir"))) return {true, mount.origin};
  }
  return {};
}

/// Anything but what every container has, and GPUs that are counted elsewhere.
bool is_extended(const Scope& s) {
  const std::string_view name = s.pair->name;
  if (name.empty() || name == "cpu" || name == "memory" || name == "ephemeral-storage")
    return false;
  const Role& role = *s.role;
  const bool counted = role.gpu_share.is_set || role.gpu_profile.is_set;
  return !counted || name != *role.gpu_resource;
}

std::size_t items(const Scope& s, const Fragment& list) {
  return list.is_set ? s.plan->tree[*list].size : 0;
}
NodeId item(const Scope& s, const Fragment& list, std::size_t index) {
  auto at = s.plan->tree.children(*list).begin();
  while (index-- > 0) ++at;
  return *at;
}

// Sorted by path: looked up by binary search.
constexpr PlanField kFields[] = {
    {"annotation.name", false, "Name of an annotation.",
     [](const Scope& s) { return text(s.pair->name, s.pair->origin); }},
    {"annotation.value", false, "Its value; may be empty.",
     [](const Scope& s) { return PlanValue{s.pair->value, s.pair->origin}; }},
    {"claim.name", false, "Name of a claim that the job brings along.",
     [](const Scope& s) { return text(s.claim->name, s.claim->origin); }},
    {"claim.spec", true, "Spec of that claim.", [](const Scope& s) { return of(s.claim->spec); }},
    {"configMap.binary", true, "Files that are not text, in base64.",
     [](const Scope& s) { return list(s.config_map->binary); }},
    {"configMap.name", false, "Name of a ConfigMap with staged files, made from their content.",
     [](const Scope& s) { return text(s.config_map->name, s.config_map->origin); }},
    {"configMap.text", true, "Text files by key.",
     [](const Scope& s) { return list(s.config_map->text); }},
    {"deviceClaim.class", false, "Device class of a claim that each pod makes.",
     [](const Scope& s) { return text(s.device_claim->device_class, s.device_claim->origin); }},
    {"deviceClaim.count", false, "How many devices of the class a pod claims.",
     [](const Scope& s) {
       return s.device_claim->count > 0 ? PlanValue{s.device_claim->count, s.device_claim->origin}
                                        : PlanValue{};
     }},
    {"deviceClaim.name", false, "Name of the template of such claims.",
     [](const Scope& s) { return text(s.device_claim->name, s.device_claim->origin); }},
    {"elastic.maxNodes", false, "Most nodes of an elastic job.",
     [](const Scope& s) { return of(s.plan->elastic.max_nodes); }},
    {"elastic.maxRestarts", false, "How often the processes of an elastic job start again.",
     [](const Scope& s) { return of(s.plan->elastic.max_restarts); }},
    {"elastic.minNodes", false, "Fewest nodes of an elastic job; absent for any other.",
     [](const Scope& s) { return of(s.plan->elastic.min_nodes); }},
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
    {"job.endsEarly", false, "True when some roles are stopped once the others have ended.",
     [](const Scope& s) { return of(s.plan->ends_early); }},
    {"job.entrypoint", false, "The program as one line for a shell, where no pod starts it.",
     [](const Scope& s) { return of(s.plan->entrypoint); }},
    {"job.framework", false, "Framework of the job, as the spec calls it.",
     [](const Scope& s) { return of(s.plan->framework); }},
    {"job.inOrder", false, "True when the roles start in the order in which they stand.",
     [](const Scope& s) { return of(s.plan->in_order); }},
    {"job.labels", true, "Labels of every object.",
     [](const Scope& s) { return list(s.plan->labels); }},
    {"job.multiNode", false, "True when more than one pod takes part.",
     [](const Scope& s) { return of(s.plan->multi_node); }},
    {"job.name", false, "Name of the job and of its main object.",
     [](const Scope& s) { return of(s.plan->name); }},
    {"job.namespace", false, "Namespace; absent when the spec names none.",
     [](const Scope& s) { return of(s.plan->ns); }},
    {"job.nvlinkChannel", false, "Name of the claim template by which pods join the NVLink domain.",
     [](const Scope& s) { return of(s.plan->nvlink.channel); }},
    {"job.nvlinkDomain", false,
     "Name of the NVLink domain that the job's nodes share; absent without one.",
     [](const Scope& s) { return of(s.plan->nvlink.domain); }},
    {"job.nvlinkNodes", false, "For how many nodes the NVLink domain waits; 0 for none.",
     [](const Scope& s) { return of(s.plan->nvlink.nodes); }},
    {"job.pods", false, "How many pods the job has, of all roles.",
     [](const Scope& s) { return of(s.plan->pods); }},
    {"job.processes", false, "Processes per pod as text, for controllers with one number for all.",
     [](const Scope& s) { return of(s.plan->processes); }},
    {"job.queue", false, "Queue that admits the job.",
     [](const Scope& s) { return of(s.plan->queue); }},
    {"job.runtime", false, "Name of the definition of the job's pods that the job refers to.",
     [](const Scope& s) { return of(s.plan->runtime.name); }},
    {"job.runtimeEnv", false, "YAML of what the program needs from Ray.",
     [](const Scope& s) { return of(s.plan->runtime_env); }},
    {"job.runtimeExists", false, "True when that was there before the job.",
     [](const Scope& s) { return of(s.plan->runtime.exists); }},
    {"job.runtimeKind", false, "Kind of that definition.",
     [](const Scope& s) { return of(s.plan->runtime.kind); }},
    {"job.runtimePolicy", false,
     "How one that is made brings ranks together: torch, mpi, jax, xgboost or plain.",
     [](const Scope& s) { return of(s.plan->runtime.policy); }},
    {"job.selector", true, "Labels that only this job's pods have.",
     [](const Scope& s) { return list(s.plan->selector); }},
    {"job.uneven", false,
     "True when roles differ in more than their number of pods; absent otherwise.",
     [](const Scope& s) { return of(s.plan->uneven); }},
    {"job.workloadAnnotations", true, "Annotations of the main object, its queue's among them.",
     [](const Scope& s) { return list(s.plan->workload_annotations); }},
    {"job.workloadLabels", true, "Labels of the main object, which may be queued by them.",
     [](const Scope& s) { return list(s.plan->workload_labels); }},
    {"label.name", false, "Name of a label.",
     [](const Scope& s) { return text(s.pair->name, s.pair->origin); }},
    {"label.value", false, "Its value; may be empty.",
     [](const Scope& s) { return PlanValue{s.pair->value, s.pair->origin}; }},
    {"lifecycle.deadline", false, "Seconds that the whole job may run.",
     [](const Scope& s) { return of(s.plan->lifecycle.deadline); }},
    {"lifecycle.failurePolicy", true, "Which failures count, which are ignored, which end the job.",
     [](const Scope& s) { return of(s.plan->lifecycle.failure_policy); }},
    {"lifecycle.finalFailures", false,
     "True when some failures end the job, whatever restarts are left.",
     [](const Scope& s) { return of(s.plan->lifecycle.final_failures); }},
    {"lifecycle.othersFinal", false,
     "True when all failures but those of `lifecycle.exits` end the job; absent otherwise.",
     [](const Scope& s) { return of(s.plan->lifecycle.others_final); }},
    {"lifecycle.restartLimit", false,
     "Failed pods and containers at which an operator gives the job up.",
     [](const Scope& s) { return of(s.plan->lifecycle.restart_limit); }},
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
    {"limit.amount", false, "How much of a resource.",
     [](const Scope& s) { return text(s.pair->value, s.pair->origin); }},
    {"limit.extended", false,
     "True for what is neither CPU, memory, disk nor a GPU that has a field of its own.",
     [](const Scope& s) { return flag(is_extended(s), s.pair->origin); }},
    {"limit.name", false, "Name of a resource.",
     [](const Scope& s) { return text(s.pair->name, s.pair->origin); }},
    {"mount.claim", false, "The claim that is mounted, where it is one.",
     [](const Scope& s) { return of(mounted(s, "persistentVolumeClaim")["claimName"]); }},
    {"mount.configMap", false, "The ConfigMap that is mounted, where it is one.",
     [](const Scope& s) { return of(mounted(s, "configMap")["name"]); }},
    {"mount.hostPath", false, "The directory of the node that is mounted, where it is one.",
     [](const Scope& s) { return of(mounted(s, "hostPath")["path"]); }},
    {"mount.nfsPath", false, "The path that an NFS server exports, where it is one.",
     [](const Scope& s) { return of(mounted(s, "nfs")["path"]); }},
    {"mount.nfsServer", false, "That server.",
     [](const Scope& s) { return of(mounted(s, "nfs")["server"]); }},
    {"mount.path", false, "Where a volume is mounted.",
     [](const Scope& s) { return text(s.mount->path, s.mount->origin); }},
    {"mount.readOnly", false, "True when the mount is read-only; absent otherwise.",
     [](const Scope& s) { return flag(s.mount->read_only, s.mount->origin); }},
    {"mount.scratch", false, "True for an emptyDir on disk; absent otherwise.",
     [](const Scope& s) {
       return flag(mounted(s, "emptyDir") && !is_memory(mounted(s, "emptyDir")), s.mount->origin);
     }},
    {"mount.secret", false, "The Secret that is mounted, where it is one.",
     [](const Scope& s) { return of(mounted(s, "secret")["secretName"]); }},
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
    {"mpirun.nodes", false, "Nodes on which mpirun starts processes.",
     [](const Scope& s) { return of(s.plan->mpirun.nodes); }},
    {"mpirun.slots", false, "Processes that mpirun starts on each node.",
     [](const Scope& s) { return of(s.plan->mpirun.slots); }},
    {"mpirun.sshPath", false,
     "Where the ssh keys are mounted, if not at the controller's own place.",
     [](const Scope& s) { return of(s.plan->mpirun.ssh_path); }},
    {"port.index", false, "Number of a port in the list.",
     [](const Scope& s) { return number_in_list(s); }},
    {"port.number", false, "The port itself.",
     [](const Scope& s) { return entry(s, "containerPort"); }},
    {"ray.redisAddress", false, "Redis in which the head of a Ray cluster keeps its state.",
     [](const Scope& s) { return of(s.plan->ray_state.address); }},
    {"ray.redisKey", false, "Key of its password in the Secret.",
     [](const Scope& s) { return of(s.plan->ray_state.key); }},
    {"ray.redisSecret", false, "Secret with its password.",
     [](const Scope& s) { return of(s.plan->ray_state.secret); }},
    {"ray.redisUsername", false, "User of that Redis.",
     [](const Scope& s) { return of(s.plan->ray_state.username); }},
    {"rendezvous.labelFits", false,
     "True when the host name of rank 0 is short enough for a label.",
     [](const Scope& s) { return of(s.plan->rendezvous.label_fits); }},
    {"rendezvous.master", false, "Host name of rank 0.",
     [](const Scope& s) { return of(s.plan->rendezvous.master); }},
    {"rendezvous.nodes", false, "How many nodes have a rank.",
     [](const Scope& s) { return of(s.plan->rendezvous.nodes); }},
    {"rendezvous.port", false, "Port of rank 0.",
     [](const Scope& s) { return of(s.plan->rendezvous.port); }},
    {"rendezvous.role", false, "Role that rank 0 is of.",
     [](const Scope& s) { return of(s.plan->rendezvous.role); }},
    {"rendezvous.service", false,
     "Name of the headless Service through which pods find each other.",
     [](const Scope& s) { return of(s.plan->rendezvous.service); }},
    {"role.addedCapabilities", true, "Capabilities that the container gets in addition.",
     [](const Scope& s) {
       return s.role->container_security.is_set
                  ? of(View(s.plan->tree, *s.role->container_security)["capabilities"]["add"])
                  : PlanValue{};
     }},
    {"role.affinity", true, "Affinity of the pods.",
     [](const Scope& s) { return of(s.role->affinity); }},
    {"role.allowPrivilegeEscalation", false, "Whether processes may gain rights.",
     [](const Scope& s) { return of(s, s.role->container_security, "allowPrivilegeEscalation"); }},
    {"role.args", true, "Arguments, one item each.",
     [](const Scope& s) { return list(s.role->args); }},
    {"role.argumentLine", false,
     "Arguments in one text, quoted for a shell; only without a pod template.",
     [](const Scope& s) { return of(s.role->argument_line); }},
    {"role.capabilities", true,
     "Capabilities that a fabric needs; `role.containerSecurity` has them.",
     [](const Scope& s) { return list(s.role->capabilities); }},
    {"role.claims", true, "Claims of the pod that the training container uses.",
     [](const Scope& s) { return list(s.role->claims); }},
    {"role.command", true, "The command, one item each.",
     [](const Scope& s) { return list(s.role->command); }},
    {"role.commandLine", false, "The command in one text, likewise.",
     [](const Scope& s) { return of(s.role->command_line); }},
    {"role.containerName", false, "Name of the training container.",
     [](const Scope& s) { return of(s.role->container_name); }},
    {"role.containerSecurity", true, "Security context of the container.",
     [](const Scope& s) { return of(s.role->container_security); }},
    {"role.cpu", false, "CPUs that are requested.",
     [](const Scope& s) { return amount(s.role->requests, "cpu"); }},
    {"role.cpuLimit", false, "Limit of CPUs.",
     [](const Scope& s) { return amount(s.role->limits, "cpu"); }},
    {"role.dnsPolicy", false, "How the pods resolve names.",
     [](const Scope& s) { return of(s.role->dns_policy); }},
    {"role.endsJob", false, "True when the job ends with the pods of this role and not of all.",
     [](const Scope& s) { return of(s.role->ends_job); }},
    {"role.envFrom", true, "Whole Secrets and ConfigMaps taken as variables.",
     [](const Scope& s) { return list(s.role->env_from); }},
    {"role.firstRank", false, "Rank of the node of the role's first pod.",
     [](const Scope& s) { return of(s.role->first_rank); }},
    {"role.gpuFraction", false, "Part of one GPU that a pod has, in place of whole ones.",
     [](const Scope& s) { return of(s.role->gpu_fraction); }},
    {"role.gpuMemory", false, "The same as an amount of its memory.",
     [](const Scope& s) { return of(s.role->gpu_memory); }},
    {"role.gpuProfile", false, "MIG profile of the slices that are the pod's GPUs.",
     [](const Scope& s) { return of(s.role->gpu_profile); }},
    {"role.gpuResource", false, "Name of the resource by which whole GPUs are requested.",
     [](const Scope& s) { return of(s.role->gpu_resource); }},
    {"role.gpuShare", false,
     "Whole GPUs of NVIDIA or a part of one as a text; only without a pod template.",
     [](const Scope& s) { return of(s.role->gpu_share); }},
    {"role.gpus", false, "GPUs per pod.", [](const Scope& s) { return of(s.role->gpus); }},
    {"role.gracePeriod", false, "Seconds between SIGTERM and SIGKILL.",
     [](const Scope& s) { return of(s.role->grace_period); }},
    {"role.groupList", false,
     "Supplemental groups in one text, `;` between; only without a pod template.",
     [](const Scope& s) { return of(s.role->group_list); }},
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
    {"role.memory", false, "Memory that is requested.",
     [](const Scope& s) { return amount(s.role->requests, "memory"); }},
    {"role.memoryLimit", false, "Limit of memory.",
     [](const Scope& s) { return amount(s.role->limits, "memory"); }},
    {"role.mountToken", false, "Whether the service account's token is mounted.",
     [](const Scope& s) { return of(s.role->mount_token); }},
    {"role.name", false, "Name of the role.",
     [](const Scope& s) { return text(s.role->name, s.role->replicas.origin); }},
    {"role.nodePools", false,
     "Names of the pools that the pods may be in, where nodes are chosen by pool.",
     [](const Scope& s) { return of(s.role->node_pools); }},
    {"role.nodeSelector", true, "Labels that a node must have.",
     [](const Scope& s) { return list(s.role->node_selector); }},
    {"role.nodeType", false, "Name of the type of node, likewise.",
     [](const Scope& s) { return of(s.role->node_type); }},
    {"role.partPods", false, "Pods of each part.",
     [](const Scope& s) { return of(s.role->part_pods); }},
    {"role.parts", false, "Equal parts in which the pods are made.",
     [](const Scope& s) { return of(s.role->parts); }},
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
    {"role.privileged", false,
     "True when a fabric needs a privileged container; `role.containerSecurity` says so.",
     [](const Scope& s) { return of(s.role->privileged); }},
    {"role.processes", false, "Processes per pod.",
     [](const Scope& s) { return of(s.role->processes); }},
    {"role.readiness", true, "Probe by which the container is known to be ready.",
     [](const Scope& s) { return of(s.role->readiness); }},
    {"role.replicaPolicy", false,
     "What happens to a pod that ends, where it stands beside the pod's template.",
     [](const Scope& s) { return of(s.role->replica_policy); }},
    {"role.replicas", false, "How many pods the role has.",
     [](const Scope& s) { return of(s.role->replicas); }},
    {"role.requests", true, "Resource requests.",
     [](const Scope& s) { return list(s.role->requests); }},
    {"role.resourceClaims", true, "Claims for devices that the pod makes.",
     [](const Scope& s) { return list(s.role->resource_claims); }},
    {"role.restartPolicy", false, "What happens to a container that ends.",
     [](const Scope& s) { return of(s.role->restart_policy); }},
    {"role.runAsGroup", false, "Group of the processes.",
     [](const Scope& s) { return of(s, s.role->pod_security, "runAsGroup"); }},
    {"role.runAsNonRoot", false, "Whether the kubelet refuses to start a container as root.",
     [](const Scope& s) { return of(s, s.role->pod_security, "runAsNonRoot"); }},
    {"role.runAsUser", false, "User of the processes.",
     [](const Scope& s) { return of(s, s.role->pod_security, "runAsUser"); }},
    {"role.runtimeClass", false, "Runtime class of the pods.",
     [](const Scope& s) { return of(s.role->runtime_class); }},
    {"role.scheduler", false, "Scheduler of the pods.",
     [](const Scope& s) { return of(s.role->scheduler); }},
    {"role.schedulingGroup", false, "PodGroup of Kubernetes that the pods belong to.",
     [](const Scope& s) { return of(s.role->scheduling_group); }},
    {"role.seccompProfile", false, "Type of the seccomp profile.",
     [](const Scope& s) {
       return s.role->pod_security.is_set
                  ? of(View(s.plan->tree, *s.role->pod_security)["seccompProfile"]["type"])
                  : PlanValue{};
     }},
    {"role.serviceAccount", false, "Service account of the pods.",
     [](const Scope& s) { return of(s.role->service_account); }},
    {"role.serviceLinks", false, "Whether every Service of the namespace becomes variables.",
     [](const Scope& s) { return of(s.role->service_links); }},
    {"role.sharedMemory", false, "True when memory is mounted at /dev/shm; absent otherwise.",
     [](const Scope& s) { return shared_memory(s); }},
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
    {"role.waitsFor", false, "The role whose pods are ready before these start.",
     [](const Scope& s) { return of(s.role->waits_for); }},
    {"role.workingDir", false, "Directory in which the command starts.",
     [](const Scope& s) { return of(s.role->working_dir); }},
    {"runai.baseWorkload", false, "Template workload from which values are inherited.",
     [](const Scope& s) { return of(s.plan->runai.base_workload); }},
    {"runai.buckets", true, "S3 buckets to mount, each in its wrapper.",
     [](const Scope& s) { return of(s.plan->runai.buckets); }},
    {"runai.completions", false, "Pods that have to succeed.",
     [](const Scope& s) { return of(s.plan->runai.completions); }},
    {"runai.createHomeDir", false, "Whether there is a temporary home directory.",
     [](const Scope& s) { return of(s.plan->runai.create_home_dir); }},
    {"runai.exposedUrls", true, "URLs under which ports are reached, each in its wrapper.",
     [](const Scope& s) { return of(s.plan->runai.exposed_urls); }},
    {"runai.gitSync", true, "Git repositories to mount, each in its wrapper.",
     [](const Scope& s) { return of(s.plan->runai.git_sync); }},
    {"runai.gpuLimit", false, "How far the share of a GPU may grow.",
     [](const Scope& s) { return of(s.plan->runai.gpu_limit); }},
    {"runai.hostIpc", false, "Whether the pods use the IPC namespace of their node.",
     [](const Scope& s) { return of(s.plan->runai.host_ipc); }},
    {"runai.mountPropagation", false, "Whether mounts of the node show up in mounted volumes.",
     [](const Scope& s) { return of(s.plan->runai.mount_propagation); }},
    {"runai.mpiSlots", false, "Processes per worker of the MPI job that is made.",
     [](const Scope& s) { return of(s.plan->runai.mpi_slots); }},
    {"runai.mpiWorkers", false, "Workers of that MPI job; absent when none is made.",
     [](const Scope& s) { return of(s.plan->runai.mpi_workers); }},
    {"runai.namePrefix", false, "Prefix of a name that is numbered, in place of the name.",
     [](const Scope& s) { return of(s.plan->runai.name_prefix); }},
    {"runai.nodePool", false, "The older form of `role.nodePools`.",
     [](const Scope& s) { return of(s.plan->runai.node_pool); }},
    {"runai.nonPreemptible", false, "True when the job does not give way to others.",
     [](const Scope& s) { return of(s.plan->runai.non_preemptible); }},
    {"runai.parallelism", false, "Pods at once, where several have to succeed.",
     [](const Scope& s) { return of(s.plan->runai.parallelism); }},
    {"runai.podAffinityRule", false, "How much the affinity to other pods counts.",
     [](const Scope& s) { return of(s.plan->runai.affinity_rule); }},
    {"runai.podAffinityTopology", false, "Label of nodes that says what is close.",
     [](const Scope& s) { return of(s.plan->runai.affinity_topology); }},
    {"runai.preemptionLimit", false, "How often the job may be preempted.",
     [](const Scope& s) { return of(s.plan->runai.preemption_limit); }},
    {"runai.serviceType", false, "How ports are reached from outside.",
     [](const Scope& s) { return of(s.plan->runai.service_type); }},
    {"runai.stdin", false, "Whether standard input stays open.",
     [](const Scope& s) { return of(s.plan->runai.standard_input); }},
    {"runai.terminateAfterPreemption", false, "Whether the job ends once it was preempted.",
     [](const Scope& s) { return of(s.plan->runai.terminate_after_preemption); }},
    {"runai.tty", false, "Whether there is a terminal.",
     [](const Scope& s) { return of(s.plan->runai.terminal); }},
    {"runai.usage", false, "Whether the workload runs or is a template for others.",
     [](const Scope& s) { return of(s.plan->runai.usage); }},
    {"runai.userId", false, "Subject of the user's token.",
     [](const Scope& s) { return of(s.plan->runai.user_id); }},
    {"runai.username", false, "Name of the user, for display.",
     [](const Scope& s) { return of(s.plan->runai.username); }},
    {"sidecar.container", true, "A whole container beside the training container.",
     [](const Scope& s) { return of(*s.sidecar); }},
    {"toleration.effect", false, "What a tolerated taint does.",
     [](const Scope& s) { return entry(s, "effect"); }},
    {"toleration.index", false, "Number of a toleration in the list.",
     [](const Scope& s) { return number_in_list(s); }},
    {"toleration.key", false, "Key of a tolerated taint.",
     [](const Scope& s) { return entry(s, "key"); }},
    {"toleration.operator", false, "How it is compared.",
     [](const Scope& s) { return entry(s, "operator"); }},
    {"toleration.seconds", false, "How long the taint is tolerated.",
     [](const Scope& s) { return entry(s, "tolerationSeconds"); }},
    {"toleration.value", false, "Value of the taint.",
     [](const Scope& s) { return entry(s, "value"); }},
};

constexpr PlanLoop kLoops[] = {
    {"job.claims", "claim", [](const Scope& s) { return s.plan->claims.size(); },
     [](Scope& s, std::size_t i) { s.claim = &s.plan->claims[i]; }},
    {"job.configMaps", "configMap", [](const Scope& s) { return s.plan->config_maps.size(); },
     [](Scope& s, std::size_t i) { s.config_map = &s.plan->config_maps[i]; }},
    {"job.deviceClaims", "deviceClaim", [](const Scope& s) { return s.plan->device_claims.size(); },
     [](Scope& s, std::size_t i) { s.device_claim = &s.plan->device_claims[i]; }},
    {"job.roles", "role", [](const Scope& s) { return s.plan->roles.size(); },
     [](Scope& s, std::size_t i) { s.role = &s.plan->roles[i]; }},
    {"lifecycle.exits", "exit", [](const Scope& s) { return s.plan->lifecycle.exits.size(); },
     [](Scope& s, std::size_t i) { s.exit = &s.plan->lifecycle.exits[i]; }},
    {"role.env", "env", [](const Scope& s) { return s.role->env.size(); },
     [](Scope& s, std::size_t i) { s.env = &s.role->env[i]; }},
    {"role.limits", "limit", [](const Scope& s) { return s.role->limits.size(); },
     [](Scope& s, std::size_t i) { s.pair = &s.role->limits[i]; }},
    {"role.mounts", "mount", [](const Scope& s) { return s.role->mounts.size(); },
     [](Scope& s, std::size_t i) { s.mount = &s.role->mounts[i]; }},
    {"role.podAnnotations", "annotation",
     [](const Scope& s) { return s.role->pod_annotations.size(); },
     [](Scope& s, std::size_t i) { s.pair = &s.role->pod_annotations[i]; }},
    {"role.podLabels", "label", [](const Scope& s) { return s.role->pod_labels.size(); },
     [](Scope& s, std::size_t i) { s.pair = &s.role->pod_labels[i]; }},
    {"role.ports", "port", [](const Scope& s) { return items(s, s.role->ports); },
     [](Scope& s, std::size_t i) { s.node = item(s, s.role->ports, s.index = i); }},
    {"role.sidecars", "sidecar", [](const Scope& s) { return s.role->sidecars.size(); },
     [](Scope& s, std::size_t i) { s.sidecar = &s.role->sidecars[i]; }},
    {"role.tolerations", "toleration", [](const Scope& s) { return s.role->tolerations.size(); },
     [](Scope& s, std::size_t i) { s.node = *s.role->tolerations[s.index = i]; }},
};

constexpr std::string_view kRoots[] = {"job", "rendezvous", "lifecycle", "gang",
                                       "ray", "runai",      "elastic",   "mpirun"};

template <class T>
const T* find_by_path(std::span<const T> table, std::string_view path) {
  const auto found =
      std::lower_bound(table.begin(), table.end(), path,
                       [](const T& row, std::string_view p) { return row.path < p; });
  return found != table.end() && found->path == path ? &*found : nullptr;
}

}  // namespace

const PlanField* FieldSet::field(std::string_view path) const {
  return find_by_path(fields, path);
}
const PlanLoop* FieldSet::loop(std::string_view path) const {
  return find_by_path(loops, path);
}

const FieldSet& job_fields() {
  static constexpr FieldSet set{kFields, kLoops, kRoots};
  return set;
}

std::span<const PlanField> plan_fields() {
  return kFields;
}
std::span<const PlanLoop> plan_loops() {
  return kLoops;
}

const PlanField* find_plan_field(std::string_view path) {
  return job_fields().field(path);
}
const PlanLoop* find_plan_loop(std::string_view path) {
  return job_fields().loop(path);
}

}  // namespace trainyard
