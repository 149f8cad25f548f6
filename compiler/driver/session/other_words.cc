#include "driver/session/other_words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "diag/suggest.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Field names or enum values that other tools use. `at` is the end of the path: of the field
/// itself, or of the map that holds it.
struct OtherWord {
  std::string_view at;
  std::string_view words;  // between blanks
  std::string_view ours;
};

constexpr auto kOtherWords = std::to_array<OtherWord>({
    {"framework", "torch ddp fsdp deepspeed lightning megatron transformers huggingface",
     "pytorch"},
    {"framework", "tf keras", "tensorflow"},
    {"framework", "horovod", "mpi"},
    {"framework", "flax", "jax"},
    {"launcher", "torch.distributed.run torch.distributed.launch", "torchrun"},
    {"launcher", "horovodrun mpiexec mpi", "mpirun"},
    {"launcher", "python python3", "none"},
    {"target", "ray", "rayjob"},
    {"target", "mpi", "mpijob"},
    {"target", "pytorch", "pytorchjob"},
    {"target", "trainer", "trainjob"},
    {"target", "leaderworkerset", "lws"},
    {"target", "sagemaker", "hyperpod"},
    {"system", "kai-scheduler", "kai"},
    {"system", "runai-scheduler run.ai run:ai", "runai"},
    {"system", "scheduler-plugins scheduler-plugins-scheduler", "coscheduling"},
    {"fabric", "IB Infiniband InfiniBand", "infiniband"},
    {"target", "kubernetes k8s", "job"},
    {"spec", "replicas numNodes nnodes workers num_workers worker_count instance_count", "nodes"},
    {"spec", "nprocPerNode nproc_per_node num_gpus gpuCount gpus", "gpusPerNode"},
    {"spec", "nprocPerNode nproc_per_node ntasks-per-node", "processesPerNode"},
    {"spec", "accelerator instance_type instanceType", "machine"},
    {"spec", "partition node_pool", "pool"},
    {"spec", "container_image containerImage image_uri", "image"},
    {"spec", "volumes", "storage"},
    {"spec", "environment", "env"},
    {"pools", "nodes replicas size", "count"},
    {"pools", "instanceType machineType", "machine"},
    {"roles.*", "replicas count", "nodes"},
    {"elastic", "min minReplicas", "minNodes"},
    {"elastic", "max maxReplicas", "maxNodes"},
    {"lifecycle", "backoffLimit maxRetries maxRestarts retry restarts max_retries", "retries"},
    {"lifecycle", "activeDeadlineSeconds timeout time", "deadline"},
    {"lifecycle", "ttlSecondsAfterFinished", "ttl"},
    {"lifecycle", "terminationGracePeriodSeconds gracePeriodSeconds grace_period", "gracePeriod"},
    {"resources", "shm shmSize", "sharedMemory"},
    {"resources", "mem", "memory"},
    {"scheduling", "priorityClass priorityClassName", "priority"},
    {"scheduling", "queueName project localQueue local_queue", "queue"},
    {"scheduling", "scheduler", "system"},
    {"checkpoint", "dir directory folder", "path"},
    {"items", "text data body", "content"},
    {"items", "file source", "from"},
    {"items", "name", "path"},
    {"files", "mount dir directory", "mountPath"},
    {"roles.*", "ports", "expose"},
    {"roles.*", "dependsOn depends_on", "after"},
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
    {"gpu", "type model", "product"},
    {"storage.*", "pvc claimName", "claim"},
    {"storage.*", "path mount", "mountPath"},
    {"inputs", "secret token", "credentials"},
    {"inputs", "url source", "uri"},
    {"inputs", "mountPath dest destination dir target", "path"},
    {"outputs", "secret", "credentials"},
    {"outputs", "url", "uri"},
    {"outputs", "mountPath source src dir", "path"},
    {"run", "cmd entrypoint", "command"},
    {"run", "python file", "script"},
    {"run", "workdir cwd", "workingDir"},
    {"secretEnv.*", "secret secretName", "name"},
    {"storage.*.secret", "name", "secretName"},
});

/// The same for a field that stands elsewhere in a spec.
constexpr auto kOtherPlaces = std::to_array<OtherWord>({
    {"spec", "name", "metadata.name"},
    {"spec", "namespace", "metadata.namespace"},
    {"spec", "labels", "metadata.labels"},
    {"spec", "annotations", "metadata.annotations"},
    {"spec", "backoffLimit maxRetries restartPolicy restart", "spec.lifecycle.retries"},
    {"spec", "activeDeadlineSeconds timeout time time_limit max_run", "spec.lifecycle.deadline"},
    {"spec", "ttlSecondsAfterFinished", "spec.lifecycle.ttl"},
    {"spec", "terminationGracePeriodSeconds", "spec.lifecycle.gracePeriod"},
    {"spec", "schedulerName", "spec.scheduling.system"},
    {"spec", "priorityClassName qos", "spec.scheduling.priority"},
    {"spec", "securityContext", "spec.security"},
    {"spec", "volumeMounts", "spec.storage.NAME.mountPath"},
    {"spec", "shm_size shmSize ipc", "spec.resources.sharedMemory"},
    {"spec", "memory mem", "spec.resources.memory"},
    {"spec", "cpus vcpus", "spec.resources.cpu"},
    {"spec", "requirements pip runtime_env", "spec.run.packages"},
    {"spec", "template", "spec.pod"},
    {"spec", "gres accelerators", "spec.gpusPerNode"},
    {"spec", "scaling_config workerGroupSpecs deploy", "spec.nodes"},
    {"spec", "headGroupSpec", "spec.roles.head"},
    {"spec", "pytorchReplicaSpecs tfReplicaSpecs mpiReplicaSpecs", "spec.roles"},
    {"spec", "elasticPolicy", "spec.elastic"},
    {"spec", "container", "spec.run"},
    {"spec", "entrypoint", "spec.run.command"},
    {"spec", "entry_point", "spec.run.script"},
    {"spec", "workdir", "spec.run.workingDir"},
    {"spec", "hyperparameters", "spec.run.args"},
    {"spec", "setup", "spec.run.before"},
    {"spec", "file_mounts", "spec.storage"},
    {"spec", "secrets", "spec.secretEnv"},
    {"spec", "depends_on", "spec.roles.NAME.after"},
    {"spec", "use_spot use_spot_instances spot", "spec.placement.spot"},
    {"spec", "constraint", "spec.placement.nodeSelector"},
    {"spec", "account project", "spec.scheduling.queue"},
    {"spec", "topology", "spec.placement.topology"},
    {"spec", "networkPolicy isolate", "spec.network.isolate"},
    {"roles.*", "command script shell", "spec.roles.NAME.run"},
    {"lifecycle", "restartPolicy", "spec.lifecycle.retries"},
    {"security", "privileged", "spec.security.level"},
    {"storage.*", "bucket s3 uri", "spec.data.inputs"},
    {"run", "runtimeEnv pip_packages", "spec.run.packages"},
    {"resources", "nvidia.com/gpu accelerators gpu gpus", "spec.gpusPerNode"},
    {"resources", "use_spot", "spec.placement.spot"},
    {"resources", "requests", "spec.resources"},
    {"limits", "nvidia.com/gpu", "spec.gpusPerNode"},
    {"limits", "memory", "spec.resources.memory"},
    {"gpu", "count", "spec.gpusPerNode"},
    {"storage.*", "persistentVolumeClaim", "spec.storage.NAME.claim"},
    {"secretEnv.*", "secretKeyRef valueFrom", "spec.secretEnv.VARIABLE"},
    {"target", "kueue kai", "spec.scheduling.system"},
});

std::vector<std::string_view> words_of(const OtherWord& row) {
  std::vector<std::string_view> words;
  for (const auto word : std::views::split(row.words, ' ')) {
    words.emplace_back(word.begin(), word.end());
  }
  return words;
}

/// Whether a row is for a place, and has a word.
bool is_for(const OtherWord& row, std::string_view at, std::string_view word) {
  if (!path_ends_with(at, row.at)) return false;
  const std::vector<std::string_view> words = words_of(row);
  return std::ranges::find(words, word) != words.end();
}

std::string_view row_for(std::span<const OtherWord> rows, std::string_view at,
                         std::string_view word, View holder) {
  std::vector<std::string_view> words;
  for (const OtherWord& each : rows) {
    if (path_ends_with(at, each.at)) std::ranges::copy(words_of(each), std::back_inserter(words));
  }
  const bool is_known = std::ranges::find(words, word) != words.end();
  const auto near = is_known || word.size() < 5 ? std::nullopt : suggest(word, words);
  const std::string_view meant = is_known ? word : near.value_or("");
  const auto row = std::ranges::find_if(rows, [&](const OtherWord& each) {
    return is_for(each, at, meant) && !get(holder, each.ours);
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
  const auto is_here = [&](const OtherWord& each) { return is_for(each, at, word); };
  return std::ranges::any_of(kOtherWords, is_here) || std::ranges::any_of(kOtherPlaces, is_here);
}

std::string_view other_place(std::string_view at, std::string_view word) {
  return row_for(kOtherPlaces, at, word, {});
}

}  // namespace trainyard
