// Shared memory.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "admission/resource_amounts.h"
#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/devices.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Of what is mounted: the kubelet puts a `/` in front of a path that has none.
bool is_shared_memory(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.starts_with('/')) path.remove_prefix(1);
  return path == "dev/shm";
}

View mount_of(View container, std::string_view volume) {
  for (View mount : items_at(container, "volumeMounts")) {
    if (string_at(mount, "name") == volume) return mount;
  }
  return {};
}

std::optional<Quantity> quantity(View value) {
  if (!value || !value->is_scalar()) return std::nullopt;
  return Quantity::parse(value->text);
}

void above_limit(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const View source = get(volume, "emptyDir");
    const View size_at = get(source, "sizeLimit");
    const auto size = quantity(size_at);
    if (!size || string_at(source, "medium") != "Memory") continue;
    View largest;
    std::optional<Quantity> most;
    bool unlimited = false;
    for (const PodContainer& each : pod.containers) {
      if (!mount_of(each.node, string_at(volume, "name"))) continue;
      const View limit = get(get(get(each.node, "resources"), "limits"), "memory");
      const auto amount = quantity(limit);
      if (!amount) {
        unlimited = true;
      } else if (!most || *amount > *most) {
        most = amount;
        largest = limit;
      }
    }
    static const auto kLeast = Quantity::parse("1Mi");
    if (unlimited || !most || *size <= *most || *most < *kLeast) continue;  // see whole-bytes
    context
        .lint(size_at, "shared memory of " + shown(size_at->text) +
                           " is more than the memory limit of " + shown(largest->text))
        .also(context.place(largest), "the memory limit");
  }
}

View shared_memory_of(View container) {
  for (View mount : items_at(container, "volumeMounts")) {
    if (is_shared_memory(string_at(mount, "mountPath"))) return mount;
  }
  return {};
}

/// The limit of a volume in memory that is no more than what the container runtime gives anyway.
View too_low_limit(View pod_spec, View mount) {
  for (View volume : items_at(pod_spec, "volumes")) {
    if (string_at(volume, "name") != string_at(mount, "name")) continue;
    const View limit = get(get(volume, "emptyDir"), "sizeLimit");
    const auto size = quantity(limit);
    static const auto kDefault = Quantity::parse("64Mi");
    const bool is_low = size && *size <= *kDefault && !lacks_a_unit(limit->text);
    return is_low ? limit : View();  // see whole-bytes
  }
  return {};
}

/// `nvidia-smi && sleep 600`: a try of GPUs, whose programs share nothing.
bool shares_nothing(View container) {
  constexpr auto kPrograms = std::to_array<std::string_view>(
      {"nvidia-smi", "rocm-smi", "sleep", "echo", "true", "date", "tail", "cat", "ls"});
  bool starts = false;
  bool is_alone = has_items(get(container, "command"));
  each_command(command_words(container), [&](std::span<const ShellWord> command) {
    const std::size_t at = program_before(command, command.size() - 1);
    const std::string_view program = program_name(command[at].text);
    starts = true;
    is_alone = is_alone && std::ranges::find(kPrograms, program) != kPrograms.end();
  });
  return starts && is_alone;
}

/// Whether a container surely trains or serves with more than it gets: a program in Python does, by
/// its data loaders or NCCL. Tests of links and what a script starts may not.
bool runs_python(View container) {
  constexpr auto kPrograms = std::to_array<std::string_view>(
      {"accelerate", "axolotl", "deepspeed", "llamafactory-cli", "torchrun", "tune", "vllm"});
  const auto words = command_words(container);
  if (words.empty()) return true;  // of its image
  bool found = false;
  each_command(words, [&](std::span<const ShellWord> command) {
    found = found || std::ranges::any_of(command, [&](const ShellWord& word) {
              const std::string_view program = program_name(word.text);
              return program.starts_with("python") ||
                     std::ranges::find(kPrograms, program) != kPrograms.end();
            });
  });
  return found;
}

void too_small(const Workload& workload, CheckContext& context) {
  if (workload.group == "ray.io") return;  // whose operator adds it
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec || role.pod.has(kAddsVolumes) || is_true(get(role.pod.spec, "hostIPC"))) {
      continue;
    }
    for (View container : role.containers) {
      const Devices devices = devices_of(get(container, "resources"));
      if (devices.whole < 2 || shares_nothing(container)) continue;
      if (const View mount = shared_memory_of(container)) {
        const View limit = too_low_limit(role.pod.spec, mount);
        if (!limit) continue;
        context.lint(limit, std::to_string(devices.whole) + " GPUs, and their processes share " +
                                shown(limit->text) + ", no more than without the volume");
        continue;
      }
      context.lint(devices.at,
                   std::to_string(devices.whole) +
                       " GPUs, and their processes share 64 MiB: nothing is mounted at "
                       "`/dev/shm`",
                   runs_python(container) ? Severity::Warning : Severity::Note);
    }
  }
}

/// A plain `emptyDir` is a folder of the node's disk, at `/dev/shm` as well.
void shared_memory_on_disk(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View mount = shared_memory_of(each.node);
    if (!mount || get(mount, "subPath")) continue;
    for (View volume : items_at(pod.spec, "volumes")) {
      const View empty = get(volume, "emptyDir");
      if (string_at(volume, "name") != string_at(mount, "name") || !empty) continue;
      if (!empty->is_map() || !string_at(empty, "medium").empty()) continue;
      context
          .lint(volume, "volume " + shown(string_at(volume, "name")) +
                            " at `/dev/shm` is on the node's disk: its `emptyDir` has no `medium: "
                            "Memory`")
          .also(context.place(mount), "mounted here");
      return;
    }
  }
}

void medium(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const View medium = get(get(volume, "emptyDir"), "medium");
    const std::string_view text = string_of(medium);
    if (text.empty() || text == "Memory" || text == "HugePages" || text.starts_with("HugePages-")) {
      continue;
    }
    context.lint(medium, shown(text) +
                             " is no medium of an `emptyDir`; expected `Memory`, `HugePages`, "
                             "`HugePages-2Mi` or none");
  }
}

/// kubernetes/kubernetes pkg/volume/emptydir/empty_dir.go getPageSizeMountOption: the size of the
/// pages is that of what the containers ask for.
void pages(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers)) return;
  for (View volume : items_at(pod.spec, "volumes")) {
    const View medium = get(get(volume, "emptyDir"), "medium");
    if (!string_of(medium).starts_with("HugePages")) continue;
    const bool asked = std::ranges::any_of(pod.containers, [](const PodContainer& each) {
      const View resources = get(each.node, "resources");
      return std::ranges::any_of(std::to_array<std::string_view>({"limits", "requests"}),
                                 [&](std::string_view list) {
                                   for (View amount : entries_at(resources, list)) {
                                     if (amount.key().starts_with("hugepages-")) return true;
                                   }
                                   return false;
                                 });
    });
    if (asked || get(get(pod.spec, "resources"), "limits")) continue;
    context.lint(medium, "volume " + shown(string_at(volume, "name")) +
                             " is of huge pages, and no container asks for any: `hugepages-2Mi` or "
                             "`hugepages-1Gi`");
  }
}

void mediums(const Pod& pod, CheckContext& context) {
  medium(pod, context);
  pages(pod, context);
}

/// kubernetes/kubernetes pkg/kubelet/eviction/eviction_manager.go
/// podEphemeralStorageLimitEviction: a pod that takes more than the limits of its containers
/// together is evicted, volumes on the node's disk included.
void disk_above_limit(const Pod& pod, CheckContext& context) {
  const auto most = limited(pod, "ephemeral-storage");
  if (!most || most->is_zero()) return;
  for (View volume : items_at(pod.spec, "volumes")) {
    const View empty = get(volume, "emptyDir");
    const View limit = get(empty, "sizeLimit");
    const auto size = quantity(limit);
    if (!size || !string_at(empty, "medium").empty() || *size <= *most) continue;
    context.lint(limit, "volume " + shown(string_at(volume, "name")) + " may hold " +
                            shown(limit->text) + ", and the pod is evicted at " +
                            shown(most->text()) + ", the limit of its `ephemeral-storage`");
  }
}

bool has_gpus(const Pod& pod) {
  return std::ranges::any_of(pod.containers, [](const PodContainer& each) {
    return devices_of(get(each.node, "resources")).all() > 0;
  });
}

/// `/dev/shm` of the node, which all its pods share.
void of_node(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const View path = get(get(volume, "hostPath"), "path");
    const std::string_view text = string_of(path);
    if ((text != "/dev/shm" && text != "/dev/shm/") || !has_gpus(pod)) continue;
    context.lint(path, "these pods share `/dev/shm` with all that runs on their node");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "disk-above-limit",
     .group = CheckGroup::Storage,
     .effect = Effect::RunsWrong,
     .sentence = "A volume on the node's disk is no larger than the pod may take of it.",
     .source = "kubernetes/kubernetes pkg/kubelet/eviction/eviction_manager.go "
               "podEphemeralStorageLimitEviction",
     .pod = disk_above_limit,
     .severity = Severity::Warning,
     .because = "What is written into the volume counts against `ephemeral-storage` of the "
                "containers.",
     .fix = "raise the limit of `ephemeral-storage`, or lower `sizeLimit`"},
    {.name = "volume-medium",
     .group = CheckGroup::Memory,
     .effect = Effect::NeverRuns,
     .sentence = "What an `emptyDir` is kept on is a medium that the kubelet knows.",
     .source = "kubernetes/kubernetes pkg/volume/emptydir/empty_dir.go SetUpAt",
     .pod = mediums,
     .because =
         "The API server takes any word; the kubelet does not mount it, and the pods stay in "
         "ContainerCreating.",
     .fix = "write `medium: Memory` for a volume in memory"},
    {.name = "shared-memory-on-disk",
     .group = CheckGroup::Memory,
     .effect = Effect::RunsWrong,
     .sentence = "Shared memory is memory.",
     .source = "kubernetes/kubernetes pkg/volume/emptydir/empty_dir.go: the default medium is a "
               "folder of the node",
     .pod = shared_memory_on_disk,
     .severity = Severity::Warning,
     .because = "Data loaders and NCCL then exchange everything by the node's disk.",
     .fix = "write `emptyDir: {medium: Memory}`"},
    {.name = "shared-memory-above-limit",
     .group = CheckGroup::Memory,
     .effect = Effect::RunsWrong,
     .sentence = "Shared memory is not larger than the memory limit that it counts against.",
     .source = "kubernetes/kubernetes pkg/volume/emptydir: pages of a memory medium count against "
               "the container that writes them",
     .pod = above_limit,
     .severity = Severity::Warning,
     .because = "What is written there counts as memory of the container: it is killed at its "
                "limit, long before the volume is full.",
     .fix = "make the volume smaller than the memory limit, with room for the program",
     .rule = "shared-memory"},
    {.name = "shared-memory-of-node",
     .group = CheckGroup::Memory,
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .sentence = "Pods with GPUs have shared memory of their own.",
     .source = "pytorch/pytorch torch/multiprocessing/reductions.py: files in /dev/shm; "
               "kubernetes/pod-security-admission policy/check_hostPathVolumes.go",
     .pod = of_node,
     .severity = Severity::Note,
     .because = "What killed processes leave there fills the memory of the node for the next job, "
                "and only a namespace of the level `privileged` takes the pods.",
     .fix = "mount an `emptyDir` with `medium: Memory` at `/dev/shm`",
     .rule = "shared-memory"},
    {.name = "small-shared-memory",
     .group = CheckGroup::Memory,
     .effect = Effect::NeverRuns,
     .sentence = "Containers with several GPUs have more shared memory than the default.",
     .source = "pytorch/pytorch issue 16979; NVIDIA/nccl documentation, troubleshooting: shared "
               "memory",
     .workload = too_small,
     .severity = Severity::Warning,
     .because = "The container runtime gives 64 MiB at /dev/shm, on which data loaders and NCCL "
                "die with a bus error.",
     .fix = "mount an `emptyDir` with `medium: Memory` at `/dev/shm`",
     .rule = "shared-memory"},
};

}  // namespace

const std::span<const Check> memory_lints = kChecks;

}  // namespace trainyard
