// What a namespace allows its pods, against what they ask for.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "admission/resource_amounts.h"
#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/queue/queue_fit.h"
#include "lints/tables.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::optional<Quantity> quantity(View value) {
  return value && value->is_scalar() ? Quantity::parse(value->text) : std::nullopt;
}

/// Objects of a kind in the namespace of the one that is checked. Pods of a runtime are made in
/// that of a TrainJob, and those of what is in no namespace anywhere.
std::vector<View> in_namespace(std::string_view kind, CheckContext& context) {
  std::vector<View> found;
  const View object = context.object();
  if (string_at(object, "kind").ends_with("TrainingRuntime")) return found;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return found;
  const std::string_view own = string_at(get(object, "metadata"), "namespace");
  for (View each : inventory->all("", kind)) {
    if (string_at(get(each, "metadata"), "namespace") == own) found.push_back(each);
    if (found.size() == Inventory::kMostAlike) break;
  }
  return found;
}

std::string named(View object) {
  return std::string(string_at(object, "kind")) + " " +
         shown(string_at(get(object, "metadata"), "name"));
}

/// A request, or the limit that takes its place.
View request_of(View container, std::string_view resource) {
  const View resources = get(container, "resources");
  const View request = get(get(resources, "requests"), resource);
  return request ? request : get(get(resources, "limits"), resource);
}

void above_most(View container, View most, View range, CheckContext& context) {
  const auto allowed = quantity(most);
  const View limit = get(get(get(container, "resources"), "limits"), most.key());
  const View asked = limit ? limit : request_of(container, most.key());
  const auto amount = quantity(asked);
  if (!allowed || !amount || *amount <= *allowed) return;
  context
      .lint(asked, named(range) + " allows a container at most " + shown(most->text) + " " +
                       shown(most.key()) + ", not " + shown(asked->text))
      .also(context.place(most), "the most");
}

void below_least(View container, View least, View range, CheckContext& context) {
  const auto wanted = quantity(least);
  const View asked = request_of(container, least.key());
  const auto amount = quantity(asked);
  if (!wanted || !amount || *amount >= *wanted) return;
  context
      .lint(asked, named(range) + " wants a container to ask for at least " + shown(least->text) +
                       " " + shown(least.key()) + ", not " + shown(asked->text))
      .also(context.place(least), "the least");
}

/// The limit that a range fills in where a container states a request alone.
void default_below_request(View container, View limit, View range, CheckContext& context) {
  const View resources = get(container, "resources");
  const View asked = get(get(resources, "requests"), limit.key());
  if (!asked || get(get(resources, "limits"), limit.key())) return;
  const auto amount = quantity(asked);
  const auto filled = quantity(limit);
  if (!amount || !filled || *amount <= *filled) return;
  context
      .lint(asked, named(range) + " gives the container a limit of " + shown(limit->text) + " " +
                       shown(limit.key()) + ", which is below its request of " + shown(asked->text))
      .also(context.place(limit), "the limit that it fills in");
}

void whole_pod(const Pod& pod, View most, View range, CheckContext& context) {
  const auto allowed = quantity(most);
  const auto amount = limited(pod, most.key());
  if (!allowed || !amount || *amount <= *allowed) return;
  context
      .lint(pod.spec, named(range) + " allows a pod at most " + shown(most->text) + " " +
                          shown(most.key()) + ", and its containers may take " +
                          shown(amount->text()))
      .also(context.place(most), "the most");
}

void limit_range(const Pod& pod, CheckContext& context) {
  if (!pod.spec) return;
  for (View range : in_namespace("LimitRange", context)) {
    for (View item : items_at(get(range, "spec"), "limits")) {
      const std::string_view type = string_at(item, "type");
      if (type == "Container") {
        for (const PodContainer& each : pod.containers) {
          for (View most : entries_at(item, "max")) above_most(each.node, most, range, context);
          for (View least : entries_at(item, "min")) below_least(each.node, least, range, context);
          for (View limit : entries_at(item, "default")) {
            default_below_request(each.node, limit, range, context);
          }
        }
      } else if (type == "Pod") {
        for (View most : entries_at(item, "max")) whole_pod(pod, most, range, context);
      }
    }
  }
}

/// A claim of its own object, against the most that a range allows each.
void claim_in_range(View claim, CheckContext& context) {
  const View size = get(get(get(get(claim, "spec"), "resources"), "requests"), "storage");
  const auto amount = quantity(size);
  if (!amount) return;
  for (View range : in_namespace("LimitRange", context)) {
    for (View item : items_at(get(range, "spec"), "limits")) {
      if (string_at(item, "type") != "PersistentVolumeClaim") continue;
      const View most = get(get(item, "max"), "storage");
      const auto allowed = quantity(most);
      if (!allowed || *amount <= *allowed) continue;
      context
          .lint(size, named(range) + " allows a claim at most " + shown(most->text) + ", not " +
                          shown(size->text))
          .also(context.place(most), "the most");
    }
  }
  for (View quota : in_namespace("ResourceQuota", context)) {
    const View hard = get(get(get(quota, "spec"), "hard"), "requests.storage");
    const auto allowed = quantity(hard);
    if (!allowed || *amount <= *allowed) continue;
    context
        .lint(size, named(quota) + " allows " + shown(hard->text) +
                        " for all claims, and this one "
                        "asks for " +
                        shown(size->text))
        .also(context.place(hard), "the quota");
  }
}

/// A quota that counts all pods of its namespace, whatever their class and priority.
bool counts_all(View quota) {
  const View spec = get(quota, "spec");
  return !has_items(get(spec, "scopes")) && !get(spec, "scopeSelector");
}

/// What a pod adds to what is counted under a key of `hard`.
std::optional<Quantity> used(const Pod& pod, std::string_view key) {
  constexpr std::string_view requests = "requests.";
  constexpr std::string_view limits = "limits.";
  if (key == "pods" || key == "count/pods") return Quantity::of(1);
  if (key == "cpu" || key == "memory" || key == "ephemeral-storage") return requested(pod, key);
  if (key.starts_with(requests)) return requested(pod, key.substr(requests.size()));
  if (key.starts_with(limits) && is_extended_resource(key.substr(limits.size()))) {
    return std::nullopt;  // counts nothing, which quota-of-devices says
  }
  if (key.starts_with(limits)) return limited(pod, key.substr(limits.size()));
  return std::nullopt;
}

struct Need {
  const WorkloadRole* role = nullptr;  // the largest part
  Quantity one;
  Quantity all;
};

/// What pods of a job that run at the same time take together.
Need need_of(const Workload& workload, std::string_view key) {
  Need need;
  for (const WorkloadRole& role : workload.roles) {
    const auto one = role.pod.spec ? used(role.pod, key) : std::nullopt;
    const auto pods = one ? multiply(*one, role.pods) : std::nullopt;
    const auto sum = pods ? add(need.all, *pods) : std::nullopt;
    if (!sum || role.step != 0) continue;
    need.all = *sum;
    if (need.role == nullptr || *one > need.one) {
      need.role = &role;
      need.one = *one;
    }
  }
  return need;
}

void quota(const Workload& workload, CheckContext& context) {
  for (View each : in_namespace("ResourceQuota", context)) {
    if (!counts_all(each)) continue;
    for (View hard : entries_at(get(each, "spec"), "hard")) {
      const auto most = quantity(hard);
      const Need need = need_of(workload, hard.key());
      if (!most || need.role == nullptr || need.all <= *most) continue;
      const bool even_one = need.one > *most;
      context
          .lint(
              need.role->pod.holder,
              named(each) + " allows " + shown(hard->text) + " of " + shown(hard.key()) +
                  (even_one ? " in the whole namespace, and one pod takes " + shown(need.one.text())
                            : " in the whole namespace, and the pods of this job take " +
                                  shown(need.all.text()) + " together"),
              even_one ? Severity::Error : Severity::Warning)
          .also(context.place(hard), "the quota");
    }
  }
}

/// kubernetes/kubernetes pkg/quota/v1/evaluator/core/pods.go Constraints: what a quota counts of
/// these every container must state, unless a LimitRange fills it in.
void stated_for_quota(const Pod& pod, CheckContext& context) {
  if (!pod.spec || pod.has(kAddsContainers) || get(pod.spec, "resources")) return;
  constexpr auto counted = std::to_array<std::string_view>(
      {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"});
  const std::vector<View> quotas = in_namespace("ResourceQuota", context);
  if (quotas.empty() || !in_namespace("LimitRange", context).empty()) return;
  for (View each : quotas) {
    if (!counts_all(each)) continue;
    for (View hard : entries_at(get(each, "spec"), "hard")) {
      if (std::ranges::find(counted, hard.key()) == counted.end()) continue;
      const bool limit = hard.key().starts_with("limits.");
      const std::string_view name = hard.key().substr(hard.key().rfind('.') + 1);
      for (const PodContainer& container : pod.containers) {
        const View resources = get(container.node, "resources");
        const View stated =
            limit ? get(get(resources, "limits"), name) : request_of(container.node, name);
        if (stated || !container.node->is_map()) continue;
        context
            .lint(resources ? resources : container.node,
                  named(each) + " counts " + shown(hard.key()) + ", which container " +
                      shown(string_at(container.node, "name")) + " does not state")
            .also(context.place(hard), "counted here");
        break;
      }
    }
  }
}

constexpr std::string_view kBecause =
    "What makes the pods is admitted, and the pods are refused when they are to be created.";

/// What device plugins offer under a name of their own.
constexpr auto kDevices = std::to_array<std::string_view>(
    {"nvidia.com/gpu", "amd.com/gpu", "vpc.amazonaws.com/efa", "google.com/tpu", "habana.ai/gaudi",
     "aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice",
     "gpu.intel.com/i915", "gpu.intel.com/xe"});
/// Names as near to those, of other plugins.
constexpr auto kOtherDevices =
    std::to_array<std::string_view>({"nvidia.com/vgpu", "nvidia.com/pgpu", "amd.com/vgpu"});

/// `nvidia/gpu` lacks what makes a domain of a word.
bool lacks_domain(std::string_view name, std::string_view known) {
  const std::size_t dot = known.find(".com/");
  return dot != known.npos &&
         name == std::string(known.substr(0, dot)) + std::string(known.substr(dot + 4));
}

/// Taints of nodes with devices have the name of the resource as their key.
void toleration_keys(const Pod& pod, CheckContext& context) {
  constexpr auto taints = std::to_array<std::string_view>({"nvidia.com/gpu", "amd.com/gpu"});
  for (View toleration : items_at(pod.spec, "tolerations")) {
    const View key = get(toleration, "key");
    if (string_of(key).empty()) continue;
    const std::string_view meant = closest_known_value(key->text, taints);
    if (meant.empty()) continue;
    const bool has_both = std::ranges::any_of(items_at(pod.spec, "tolerations"), [&](View other) {
      return string_at(other, "key") == meant;
    });
    if (has_both) continue;
    context.lint(key, "the key " + shown(key->text) + " of a toleration looks like a typo of " +
                          shown(meant));
  }
}

void resource_name(const Pod& pod, CheckContext& context) {
  toleration_keys(pod, context);
  for (const PodContainer& each : pod.containers) {
    for (std::string_view list : {"limits", "requests"}) {
      bool told = false;
      for (View amount : entries_at(get(each.node, "resources"), list)) {
        const std::string_view name = amount.key();
        if (name.find('/') == name.npos || std::ranges::find(kDevices, name) != kDevices.end() ||
            std::ranges::find(kOtherDevices, name) != kOtherDevices.end()) {
          continue;
        }
        const auto meant = std::ranges::find_if(kDevices, [&](std::string_view known) {
          return is_typo_of(name, known) || lacks_domain(name, known);
        });
        if (meant == kDevices.end()) continue;
        told = true;
        context.lint(amount, "resource " + shown(name) + " looks like a typo of " + shown(*meant));
      }
      if (told) break;  // the other list says it again
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "fits-queue",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "The ClusterQueue behind a job's queue takes the job in: it has what the job asks "
                 "for, on nodes of its kind, and is neither stopped nor for others.",
     .source = "kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go",
     .workload = check_fits_queue,
     .severity = Severity::Warning,
     .because = "Kueue never admits the job, and counts every resource that its configuration does "
                "not leave out.",
     .fix = "name another queue, ask for less, or let the ClusterQueue offer what the job needs"},
    {.name = "topology-of-queue",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "Pods ask Kueue for placement by topology where the flavor for their nodes has a "
                 "topology, and only there.",
     .source = "kubernetes-sigs/kueue pkg/scheduler/flavorassigner/tas_flavorassigner.go",
     .workload = check_topology_of_queue,
     .severity = Severity::Warning,
     .because = "Kueue never admits the job: a flavor with a topology takes only pods that ask for "
                "one, unless every flavor of the queue has one; a flavor without takes no others.",
     .fix = "annotate the pods with `kueue.x-k8s.io/podset-unconstrained-topology: \"true\"` where "
            "the flavor has a topology, and leave the annotations out where it has none"},
    {.name = "resource-name",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A resource of containers, or the key of a toleration, is not one letter off from "
                 "a known device.",
     .source = "NVIDIA/k8s-device-plugin internal/rm/devices.go; aws/eks-charts "
               "stable/aws-efa-k8s-device-plugin",
     .pod = resource_name,
     .severity = Severity::Warning,
     .because = "No node offers the other name, or has a taint of it: the pods stay Pending.",
     .fix = "write the name that the device plugin gives the device"},
    {.name = "fits-limit-range",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "Containers ask for amounts that the LimitRange of their namespace allows.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/limitranger/admission.go",
     .pod = limit_range,
     .because = kBecause,
     .fix = "stay within the range, or change the LimitRange among the inputs"},
    {.name = "claim-in-limits",
     .group = CheckGroup::Queue,
     .on = "core PersistentVolumeClaim",
     .sentence = "A claim is no larger than the LimitRange and the ResourceQuota of its namespace "
                 "allow.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/limitranger/admission.go "
               "PersistentVolumeClaimLimitFunc; pkg/quota/v1/evaluator/core/"
               "persistent_volume_claims.go",
     .object = claim_in_range,
     .because = "The API server refuses the claim, and its pods wait.",
     .fix = "ask for less, or raise what the namespace allows"},
    {.name = "fits-quota",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "The pods of a job fit into the ResourceQuota of their namespace.",
     .source = "kubernetes/kubernetes pkg/quota/v1/evaluator/core/pods.go",
     .workload = quota,
     .because = kBecause,
     .fix = "raise the quota, or ask for less"},
    {.name = "quota-wants-amounts",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "Containers state what the ResourceQuota of their namespace counts.",
     .source = "kubernetes/kubernetes pkg/quota/v1/evaluator/core/pods.go Constraints",
     .pod = stated_for_quota,
     .severity = Severity::Warning,
     .because = kBecause,
     .fix =
         "state the amount for every container, or give the namespace a LimitRange with defaults"},
};

}  // namespace

const std::span<const Check> limit_lints = kChecks;

}  // namespace trainyard
