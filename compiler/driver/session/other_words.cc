#include "driver/session/other_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "diag/suggest.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A field name or an enum value that other tools use. `at` is the end of the path: of the field
/// itself, or of the map that holds it.
struct OtherWord {
  std::string_view at;
  std::string_view word;
  std::string_view ours;
};

constexpr auto kOtherWords = std::to_array<OtherWord>({
    {"framework", "torch", "pytorch"},
    {"framework", "ddp", "pytorch"},
    {"framework", "fsdp", "pytorch"},
    {"framework", "deepspeed", "pytorch"},
    {"framework", "lightning", "pytorch"},
    {"framework", "megatron", "pytorch"},
    {"framework", "transformers", "pytorch"},
    {"framework", "huggingface", "pytorch"},
    {"framework", "tf", "tensorflow"},
    {"framework", "keras", "tensorflow"},
    {"framework", "horovod", "mpi"},
    {"framework", "flax", "jax"},
    {"launcher", "torch.distributed.run", "torchrun"},
    {"launcher", "torch.distributed.launch", "torchrun"},
    {"launcher", "horovodrun", "mpirun"},
    {"launcher", "mpiexec", "mpirun"},
    {"launcher", "mpi", "mpirun"},
    {"launcher", "python", "none"},
    {"launcher", "python3", "none"},
    {"target", "ray", "rayjob"},
    {"target", "mpi", "mpijob"},
    {"target", "pytorch", "pytorchjob"},
    {"target", "trainer", "trainjob"},
    {"target", "leaderworkerset", "lws"},
    {"target", "sagemaker", "hyperpod"},
    {"target", "kubernetes", "job"},
    {"target", "k8s", "job"},
    {"spec", "replicas", "nodes"},
    {"spec", "numNodes", "nodes"},
    {"spec", "nnodes", "nodes"},
    {"spec", "workers", "nodes"},
    {"spec", "nprocPerNode", "gpusPerNode"},
    {"spec", "nproc_per_node", "gpusPerNode"},
    {"spec", "nprocPerNode", "processesPerNode"},
    {"spec", "nproc_per_node", "processesPerNode"},
    {"spec", "num_workers", "nodes"},
    {"spec", "worker_count", "nodes"},
    {"spec", "instance_count", "nodes"},
    {"spec", "ntasks-per-node", "processesPerNode"},
    {"spec", "num_gpus", "gpusPerNode"},
    {"spec", "gpuCount", "gpusPerNode"},
    {"spec", "accelerator", "machine"},
    {"spec", "instance_type", "machine"},
    {"spec", "instanceType", "machine"},
    {"spec", "partition", "pool"},
    {"spec", "node_pool", "pool"},
    {"spec", "container_image", "image"},
    {"spec", "containerImage", "image"},
    {"spec", "image_uri", "image"},
    {"spec", "volumes", "storage"},
    {"spec", "environment", "env"},
    {"pools", "nodes", "count"},
    {"pools", "replicas", "count"},
    {"pools", "size", "count"},
    {"pools", "instanceType", "machine"},
    {"pools", "machineType", "machine"},
    {"roles.*", "replicas", "nodes"},
    {"roles.*", "count", "nodes"},
    {"elastic", "min", "minNodes"},
    {"elastic", "max", "maxNodes"},
    {"elastic", "minReplicas", "minNodes"},
    {"elastic", "maxReplicas", "maxNodes"},
    {"lifecycle", "backoffLimit", "retries"},
    {"lifecycle", "maxRetries", "retries"},
    {"lifecycle", "maxRestarts", "retries"},
    {"lifecycle", "activeDeadlineSeconds", "deadline"},
    {"lifecycle", "timeout", "deadline"},
    {"lifecycle", "time", "deadline"},
    {"lifecycle", "ttlSecondsAfterFinished", "ttl"},
    {"lifecycle", "terminationGracePeriodSeconds", "gracePeriod"},
    {"resources", "shm", "sharedMemory"},
    {"resources", "shmSize", "sharedMemory"},
    {"resources", "mem", "memory"},
    {"scheduling", "priorityClass", "priority"},
    {"scheduling", "priorityClassName", "priority"},
    {"scheduling", "queueName", "queue"},
    {"parallelism", "tp", "tensor"},
    {"parallelism", "pp", "pipeline"},
    {"parallelism", "dp", "data"},
    {"parallelism", "cp", "context"},
    {"parallelism", "ep", "expert"},
    {"create", "class", "storageClassName"},
    {"create", "storage", "size"},
    {"accessModes", "RWO", "ReadWriteOnce"},
    {"accessModes", "ROX", "ReadOnlyMany"},
    {"accessModes", "RWX", "ReadWriteMany"},
    {"accessModes", "RWOP", "ReadWriteOncePod"},
    {"gpu", "type", "product"},
    {"gpu", "model", "product"},
    {"storage.*", "pvc", "claim"},
    {"storage.*", "claimName", "claim"},
    {"storage.*", "path", "mountPath"},
    {"storage.*", "mount", "mountPath"},
    {"inputs", "secret", "credentials"},
    {"inputs", "token", "credentials"},
    {"inputs", "url", "uri"},
    {"inputs", "source", "uri"},
    {"inputs", "mountPath", "path"},
    {"outputs", "secret", "credentials"},
    {"outputs", "url", "uri"},
    {"run", "cmd", "command"},
    {"run", "entrypoint", "command"},
    {"run", "python", "script"},
    {"run", "file", "script"},
    {"run", "workdir", "workingDir"},
    {"run", "cwd", "workingDir"},
    {"secretEnv.*", "secret", "name"},
    {"secretEnv.*", "secretName", "name"},
    {"storage.*.secret", "name", "secretName"},
});

/// The same for a field that stands elsewhere in a spec.
constexpr auto kOtherPlaces = std::to_array<OtherWord>({
    {"spec", "name", "metadata.name"},
    {"spec", "namespace", "metadata.namespace"},
    {"spec", "labels", "metadata.labels"},
    {"spec", "annotations", "metadata.annotations"},
    {"spec", "backoffLimit", "spec.lifecycle.retries"},
    {"spec", "maxRetries", "spec.lifecycle.retries"},
    {"spec", "restartPolicy", "spec.lifecycle.retries"},
    {"spec", "restart", "spec.lifecycle.retries"},
    {"spec", "activeDeadlineSeconds", "spec.lifecycle.deadline"},
    {"spec", "timeout", "spec.lifecycle.deadline"},
    {"spec", "ttlSecondsAfterFinished", "spec.lifecycle.ttl"},
    {"spec", "terminationGracePeriodSeconds", "spec.lifecycle.gracePeriod"},
    {"spec", "schedulerName", "spec.scheduling.system"},
    {"spec", "priorityClassName", "spec.scheduling.priority"},
    {"spec", "securityContext", "spec.security"},
    {"spec", "volumeMounts", "spec.storage.NAME.mountPath"},
    {"spec", "shm_size", "spec.resources.sharedMemory"},
    {"spec", "shmSize", "spec.resources.sharedMemory"},
    {"spec", "ipc", "spec.resources.sharedMemory"},
    {"spec", "requirements", "spec.run.packages"},
    {"spec", "template", "spec.pod"},
    {"spec", "gres", "spec.gpusPerNode"},
    {"spec", "accelerators", "spec.gpusPerNode"},
    {"spec", "scaling_config", "spec.nodes"},
    {"spec", "workerGroupSpecs", "spec.nodes"},
    {"spec", "headGroupSpec", "spec.roles.head"},
    {"spec", "pytorchReplicaSpecs", "spec.roles"},
    {"spec", "tfReplicaSpecs", "spec.roles"},
    {"spec", "mpiReplicaSpecs", "spec.roles"},
    {"spec", "elasticPolicy", "spec.elastic"},
    {"spec", "deploy", "spec.nodes"},
    {"spec", "container", "spec.run"},
    {"spec", "entrypoint", "spec.run.command"},
    {"spec", "entry_point", "spec.run.script"},
    {"spec", "workdir", "spec.run.workingDir"},
    {"spec", "hyperparameters", "spec.run.args"},
    {"spec", "setup", "spec.run.before"},
    {"spec", "pip", "spec.run.packages"},
    {"spec", "runtime_env", "spec.run.packages"},
    {"spec", "file_mounts", "spec.storage"},
    {"spec", "secrets", "spec.secretEnv"},
    {"spec", "depends_on", "spec.roles.NAME.after"},
    {"spec", "time", "spec.lifecycle.deadline"},
    {"spec", "time_limit", "spec.lifecycle.deadline"},
    {"spec", "max_run", "spec.lifecycle.deadline"},
    {"spec", "use_spot", "spec.placement.spot"},
    {"spec", "use_spot_instances", "spec.placement.spot"},
    {"spec", "constraint", "spec.placement.nodeSelector"},
    {"spec", "account", "spec.scheduling.queue"},
    {"spec", "project", "spec.scheduling.queue"},
    {"spec", "qos", "spec.scheduling.priority"},
    {"lifecycle", "restartPolicy", "spec.lifecycle.retries"},
    {"security", "privileged", "spec.security.level"},
    {"storage.*", "bucket", "spec.data.inputs"},
    {"storage.*", "s3", "spec.data.inputs"},
    {"storage.*", "uri", "spec.data.inputs"},
    {"run", "runtimeEnv", "spec.run.packages"},
    {"run", "pip_packages", "spec.run.packages"},
    {"resources", "nvidia.com/gpu", "spec.gpusPerNode"},
    {"resources", "accelerators", "spec.gpusPerNode"},
    {"resources", "use_spot", "spec.placement.spot"},
    {"resources", "gpu", "spec.gpusPerNode"},
    {"resources", "gpus", "spec.gpusPerNode"},
    {"resources", "requests", "spec.resources"},
    {"limits", "nvidia.com/gpu", "spec.gpusPerNode"},
    {"limits", "memory", "spec.resources.memory"},
    {"gpu", "count", "spec.gpusPerNode"},
    {"storage.*", "persistentVolumeClaim", "spec.storage.NAME.claim"},
    {"secretEnv.*", "secretKeyRef", "spec.secretEnv.VARIABLE"},
    {"secretEnv.*", "valueFrom", "spec.secretEnv.VARIABLE"},
    {"target", "kueue", "spec.scheduling.system"},
    {"target", "kai", "spec.scheduling.system"},
});

std::string_view row_for(std::span<const OtherWord> rows, std::string_view at,
                         std::string_view word, View holder) {
  std::vector<std::string_view> words;
  for (const OtherWord& each : rows) {
    if (path_ends_with(at, each.at)) words.push_back(each.word);
  }
  const bool is_known = std::ranges::find(words, word) != words.end();
  const auto near = is_known || word.size() < 5 ? std::nullopt : suggest(word, words);
  const std::string_view meant = is_known ? word : near.value_or("");
  const auto row = std::ranges::find_if(rows, [&](const OtherWord& each) {
    return each.word == meant && path_ends_with(at, each.at) && !get(holder, each.ours);
  });
  return row == rows.end() ? std::string_view() : row->ours;
}

}  // namespace

bool path_ends_with(std::string_view path, std::string_view end) {
  if (path.ends_with(']') && !end.ends_with(']')) path = path.substr(0, path.rfind('['));
  while (!end.empty()) {
    const std::size_t own = path.rfind('.') + 1;
    const std::size_t wanted = end.rfind('.') + 1;
    if (end.substr(wanted) != "*" && end.substr(wanted) != path.substr(own)) return false;
    end = end.substr(0, wanted == 0 ? 0 : wanted - 1);
    if (!end.empty() && own == 0) return false;
    path = path.substr(0, own == 0 ? 0 : own - 1);
  }
  return true;
}

std::string_view other_word(std::string_view at, std::string_view word, View holder) {
  return row_for(kOtherWords, at, word, holder);
}

bool is_other_word(std::string_view at, std::string_view word) {
  const auto is_here = [&](const OtherWord& each) {
    return each.word == word && path_ends_with(at, each.at);
  };
  return std::ranges::any_of(kOtherWords, is_here) || std::ranges::any_of(kOtherPlaces, is_here);
}

std::string_view other_place(std::string_view at, std::string_view word) {
  return row_for(kOtherPlaces, at, word, {});
}

}  // namespace trainyard
