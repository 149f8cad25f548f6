#include <algorithm>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/missing_objects.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/graph.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr OperatorSpan kKai{.name = "kai"};
constexpr std::string_view kFractionSource =
    "kai-scheduler/KAI-Scheduler pkg/admission/webhook/v1alpha2/gpusharing/gpu_sharing.go";

constexpr std::string_view kFraction = "gpu-fraction";
constexpr std::string_view kMemory = "gpu-memory";
constexpr std::string_view kDevices = "gpu-fraction-num-devices";
constexpr std::string_view kContainer = "gpu-fraction-container-name";

/// The first container with a limit of whole GPUs.
View whole_gpus(const Pod& pod) {
  for (const PodContainer& container : pod.containers) {
    const View limits = get(get(container.node, "resources"), "limits");
    if (const View found = get(limits, "nvidia.com/gpu")) return found;
  }
  return {};
}

/// Whether KAI's webhook looks at the pod; that of Run:ai has the same rules.
bool is_scheduled(const Pod& pod) {
  const std::string_view scheduler = string_at(pod.spec, "schedulerName");
  return scheduler == "kai-scheduler" || scheduler == "runai-scheduler";
}

void fractions(const Pod& pod, CheckContext& context) {
  if (!is_scheduled(pod)) return;
  const View all = get(pod.metadata, "annotations");
  const View fraction = get(all, kFraction);
  const View memory = get(all, kMemory);
  const View devices = get(all, kDevices);
  const bool has_fraction = !string_of(fraction).empty();
  const bool has_memory = !string_of(memory).empty();

  if (devices && devices.kind() == Kind::String) {
    const auto count = go_integer(devices->text);
    if (!count || *count < 1) {
      context.refuse(devices, "`gpu-fraction-num-devices` is " + shown(devices->text) +
                                  "; expected a number above 0");
    } else if (!has_fraction && !has_memory) {
      context.refuse_key(devices,
                         "`gpu-fraction-num-devices` needs `gpu-fraction` or "
                         "`gpu-memory`: how much of each device");
    }
  }
  if (has_fraction) {
    const auto share = go_number(fraction->text);
    if (!share || *share <= 0 || *share >= 1) {
      context.refuse(fraction, "`gpu-fraction` is " + shown(fraction->text) +
                                   "; expected a number above 0 and below 1");
    }
  }
  if (has_memory) {
    const auto mebibytes = go_integer(memory->text);
    if (!mebibytes || *mebibytes < 1 || memory->text.starts_with('+')) {
      context.refuse(memory, "`gpu-memory` is " + shown(memory->text) +
                                 "; expected a whole number of MiB above 0, without a unit");
    }
  }
  if (has_fraction && has_memory) {
    context.refuse_key(memory, "`gpu-memory` and `gpu-fraction` do not go together")
        .also(context.place(fraction), "the other one");
  }
  const View shared_process = get(all, "mps");
  if (string_of(shared_process) == "true" && !fraction && !memory) {
    context.refuse_key(shared_process,
                       "`mps` is for pods with a part of a GPU: it needs `gpu-fraction` or "
                       "`gpu-memory`");
  }
  if (!has_fraction && !has_memory) return;
  if (const View gpus = whole_gpus(pod)) {
    context.refuse(gpus, "a pod has a part of a GPU or whole ones, not both")
        .also(context.place(has_fraction ? fraction : memory), "the part");
  }
  const View name = get(all, kContainer);
  const bool patch = (pod.controller_defaults & kIsPatch) == kIsPatch;
  if (string_of(name).empty() || patch) return;
  const bool found = std::ranges::any_of(pod.containers, [&](const PodContainer& container) {
    return string_at(container.node, "name") == name->text;
  });
  if (!found) {
    context.refuse(name, "there is no container " + shown(name->text) + " to give the GPU to");
  }
}

void queue_parent(View object, CheckContext& context) {
  const View parent = get(get(object, "spec"), "parentQueue");
  if (string_of(parent).empty()) return;
  if (parent->text == string_of(metadata_name(object))) {
    context.refuse(parent, "a queue cannot be below itself");
    return;
  }
  const Inventory* around = context.inventory();
  constexpr std::string_view group = "scheduling.run.ai";
  // With one queue, the others are not among the inputs.
  if (around == nullptr || around->all(group, "Queue").size() < 2) return;
  // The chart makes this one, unless `defaultQueue.createDefaultQueue` is off.
  if (parent->text == "default-parent-queue") return;
  const MissingObject missing = missing_object(group, "Queue", "", parent, parent->text, context);
  if (!missing) return;
  missing.label(context.warn(parent, "there is no queue " + shown(parent->text) +
                                         " among those that are given"),
                context);
}

/// A subgroup, or the PodGroup itself.
void only_one_minimum(View holder, CheckContext& context) {
  const View members = get(holder, "minMember");
  const View groups = get(holder, "minSubGroup");
  if (!members || !groups) return;
  context.refuse_key(groups, "`minMember` counts pods and `minSubGroup` groups: only one of them")
      .also(context.place(members), "the other one");
}

/// A subgroup counts its pods or, if others are below it, those.
void members_of_subgroup(View group, std::int64_t children, CheckContext& context) {
  const View minimum = get(group, "minSubGroup");
  only_one_minimum(group, context);
  const std::string name = shown(string_at(group, "name"));
  if (children == 0 && minimum && !get(group, "minMember")) {
    context.refuse_key(minimum, "no subgroup is below " + name + ", so it needs `minMember`");
  } else if (children == 0 && !get(group, "minMember")) {
    context.refuse(group, "subgroup " + name + " needs `minMember`");
  } else if (children != 0 && !minimum && get(group, "minMember")) {
    context.refuse_key(get(group, "minMember"), "subgroup " + name +
                                                    " has others below it, so it counts them with "
                                                    "`minSubGroup`");
  } else if (children != 0 && integer_of(minimum).value_or(0) > children) {
    context.warn(minimum, "subgroup " + name + " wants " + std::string(minimum->text) +
                              " subgroups, and has " + std::to_string(children));
  }
}

void pod_group(View object, CheckContext& context) {
  if (string_at(object, "apiVersion") != "scheduling.run.ai/v2alpha2") return;
  const View spec = get(object, "spec");
  only_one_minimum(spec, context);
  std::vector<View> groups;
  for (View group : items_at(spec, "subGroups")) groups.push_back(group);
  const auto find = [&](std::string_view name) {
    return std::ranges::find_if(groups,
                                [&](View group) { return string_at(group, "name") == name; });
  };
  WaitsFor parents(groups.size());
  std::vector<std::int64_t> children(groups.size());
  std::int64_t roots = 0;
  bool sound = true;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const View name = get(groups[i], "name");
    const auto first = find(string_of(name));
    if (!string_of(name).empty() && first - groups.begin() < static_cast<std::ptrdiff_t>(i)) {
      sound = false;
      context.refuse(name, "two subgroups are called " + shown(name->text))
          .also(context.place(get(*first, "name")), "the first one");
    }
    const View parent = get(groups[i], "parent");
    if (!parent) {
      ++roots;
      continue;
    }
    const auto at = find(string_of(parent));
    if (at == groups.end()) {
      sound = false;
      context.refuse(parent, "there is no subgroup " + shown(string_of(parent)));
      continue;
    }
    parents[i].push_back(static_cast<std::size_t>(at - groups.begin()));
    ++children[static_cast<std::size_t>(at - groups.begin())];
  }
  if (!sound) return;
  const auto cycle = find_cycle(parents);
  if (!cycle.empty()) {
    context.refuse(
        get(groups[cycle.front()], "parent"),
        "subgroup " + shown(string_at(groups[cycle.front()], "name")) + " is below itself");
    return;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    members_of_subgroup(groups[i], children[i], context);
  }
  const View minimum = get(spec, "minSubGroup");
  if (integer_of(minimum).value_or(0) > roots) {
    context.warn(minimum, "the group wants " + std::string(minimum->text) + " subgroups, and has " +
                              std::to_string(roots));
  }
}

constexpr Check kChecks[] = {
    {.name = "kai-gpu-fraction",
     .group = CheckGroup::Gpu,
     .sentence = "A pod asks for a part of a GPU in one way, and not for whole ones as well.",
     .source = kFractionSource,
     .pod = fractions,
     .operators = kKai},
    {.name = "kai-queue-parent",
     .group = CheckGroup::Queue,
     .on = "scheduling.run.ai Queue",
     .sentence = "The queue above a queue is another one, and is there.",
     .source = "kai-scheduler/KAI-Scheduler pkg/admission/webhook/queuehooks/queue_validator.go",
     .object = queue_parent,
     .operators = kKai},
    {.name = "kai-pod-group",
     .group = CheckGroup::Gang,
     .on = "scheduling.run.ai PodGroup",
     .sentence = "Subgroups have names of their own, parents that exist, and one minimum each: "
                 "of pods at the ends, of subgroups above.",
     .source = "kai-scheduler/KAI-Scheduler pkg/apis/scheduling/v2alpha2/podgroup_webhook.go",
     .object = pod_group,
     .operators = kKai},
};

}  // namespace

constinit const std::span<const Check> kai_checks = kChecks;

}  // namespace trainyard
