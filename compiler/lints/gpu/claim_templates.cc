// Templates of device claims that pods name, against those that the inputs make.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A template that some object is, or has made.
struct Made {
  std::string_view name;
  View object;
};

std::vector<Made> made_templates(const Inventory& inventory) {
  std::vector<Made> made;
  for (View each : inventory.all("resource.k8s.io", "ResourceClaimTemplate")) {
    if (each) made.push_back({string_at(get(each, "metadata"), "name"), each});
  }
  for (View each : inventory.all("resource.nvidia.com", "ComputeDomain")) {
    const View channel = get(get(each, "spec"), "channel");
    const std::string_view name = string_at(get(channel, "resourceClaimTemplate"), "name");
    if (!name.empty()) made.push_back({name, each});
  }
  return made;
}

/// `imex` of `imex-channel`: the one is the other and a word more.
bool is_longer_form(std::string_view name, std::string_view shorter) {
  return !shorter.empty() && name.starts_with(shorter) &&
         name.substr(shorter.size()).starts_with('-');
}

/// The template of the only ComputeDomain beside the pods, if the pod does not use it, by a
/// name that is nearly the wanted one.
const Made* domain_meant(const Pod& pod, std::string_view wanted, const std::vector<Made>& beside) {
  const Made* found = nullptr;
  for (const Made& each : beside) {
    if (string_at(each.object, "kind") != "ComputeDomain") continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  if (found == nullptr) return nullptr;
  for (View claim : items_at(pod.spec, "resourceClaims")) {
    if (string_at(claim, "resourceClaimTemplateName") == found->name) return nullptr;
  }
  const bool is_near = is_longer_form(wanted, found->name) || is_longer_form(found->name, wanted);
  return is_near ? found : nullptr;
}

/// Others may be in the cluster already: a name counts as wrong only where it is nearly one of
/// those that are made, or one that is made elsewhere.
void claim_templates(const Pod& pod, CheckContext& context) {
  if (!has_items(get(pod.spec, "resourceClaims"))) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::size_t count = inventory->count("resource.k8s.io", "ResourceClaimTemplate") +
                            inventory->count("resource.nvidia.com", "ComputeDomain");
  if (count > Inventory::kMostNames) return;
  const std::vector<Made> made = made_templates(*inventory);
  const std::string_view own = metadata_namespace(context.object());
  for (View claim : items_at(pod.spec, "resourceClaims")) {
    const View wanted = get(claim, "resourceClaimTemplateName");
    if (string_of(wanted).empty()) continue;
    std::vector<std::string_view> near;
    std::vector<Made> beside;
    const Made* elsewhere = nullptr;
    bool is_there = false;
    for (const Made& each : made) {
      const std::string_view theirs = metadata_namespace(each.object);
      const bool reachable = own.empty() || theirs.empty() || own == theirs;
      if (reachable) {
        near.push_back(each.name);
        beside.push_back(each);
      }
      if (each.name != wanted->text) continue;
      is_there = is_there || reachable;
      if (!reachable) elsewhere = &each;
    }
    if (is_there) continue;
    if (elsewhere != nullptr) {
      context
          .lint(wanted, "the claim template " + shown(wanted->text) + " is in the namespace " +
                            shown(metadata_namespace(elsewhere->object)) + ", the pods are in " +
                            shown(own))
          .also(context.place(get(get(elsewhere->object, "metadata"), "namespace")),
                "what makes it");
    } else if (const auto meant = suggest(wanted->text, near)) {
      context.lint(wanted, "nothing makes the claim template " + shown(wanted->text))
          .note("did you mean " + shown(*meant) + "?");
    } else if (const Made* domain = domain_meant(pod, wanted->text, beside)) {
      context.lint(wanted, "nothing makes the claim template " + shown(wanted->text))
          .also(context.place(get(get(domain->object, "spec"), "channel")),
                "the ComputeDomain makes " + shown(domain->name));
    }
  }
}

/// The template of a claim of the pod, where it is written out and makes one request or more.
View template_of(const Pod& pod, std::string_view claim, const Inventory& inventory,
                 std::string_view name_space) {
  for (View each : items_at(pod.spec, "resourceClaims")) {
    if (string_at(each, "name") != claim) continue;
    const std::string_view name = string_at(each, "resourceClaimTemplateName");
    if (name.empty()) return {};
    return inventory.find("resource.k8s.io", "ResourceClaimTemplate", name_space, name);
  }
  return {};
}

/// kubernetes/kubernetes pkg/kubelet/cm/dra/manager.go: a container that names a request is given
/// the devices of that request alone.
void requests_of_claims(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (View use : items_at(get(container.node, "resources"), "claims")) {
      const View wanted = get(use, "request");
      const Inventory* inventory = string_of(wanted).empty() ? nullptr : context.inventory();
      if (inventory == nullptr) continue;
      const View made = template_of(pod, string_at(use, "name"), *inventory,
                                    metadata_namespace(context.object()));
      const View requests = get(get(get(get(made, "spec"), "spec"), "devices"), "requests");
      if (!has_items(requests)) continue;
      bool is_there = false;
      std::vector<std::string> names;
      for (View each : Items(requests)) {
        const std::string_view name = string_at(each, "name");
        // `gpu/large` is one of the alternatives of request `gpu`.
        is_there =
            is_there || wanted->text == name || wanted->text.starts_with(std::string(name) + "/");
        names.emplace_back(name);
      }
      if (is_there) continue;
      context
          .lint(wanted, "the claim has no request " + shown(wanted->text) + ", it has " +
                            listed(names, "and"))
          .also(context.place(requests), "what it asks for");
    }
  }
}

/// `resourceClaimName` with the name of a template, where no claim has that name.
void claim_of_template(const Pod& pod, CheckContext& context) {
  const View claims = get(pod.spec, "resourceClaims");
  const Inventory* inventory = has_items(claims) ? context.inventory() : nullptr;
  if (inventory == nullptr) return;
  const std::string_view own = metadata_namespace(context.object());
  for (View claim : Items(claims)) {
    const View wanted = get(claim, "resourceClaimName");
    const std::string_view name = string_of(wanted);
    if (name.empty() || inventory->find("resource.k8s.io", "ResourceClaim", own, name)) continue;
    const View made = inventory->find("resource.k8s.io", "ResourceClaimTemplate", own, name);
    if (!made) continue;
    context
        .lint(wanted, "nothing makes the claim " + shown(name) +
                          ": it is a template, for `resourceClaimTemplateName`")
        .also(context.place(get(get(made, "metadata"), "name")), "the template");
  }
}

/// Classes that the drivers of devices bring.
/// NVIDIA/k8s-dra-driver-gpu deployments/helm/nvidia-dra-driver-gpu/templates; intel and AMD alike
constexpr auto kDeviceClasses = std::to_array<std::string_view>(
    {"gpu.nvidia.com", "mig.nvidia.com", "vfio.gpu.nvidia.com",
     "compute-domain-default-channel.nvidia.com", "compute-domain-daemon.nvidia.com", "gpu.amd.com",
     "gpu.intel.com", "tpu.google.com"});

void near_class(View request, CheckContext& context) {
  const View name = get(request, "deviceClassName");
  const std::string_view text = string_of(name);
  if (text.empty() || std::ranges::find(kDeviceClasses, text) != kDeviceClasses.end()) return;
  for (std::string_view known : kDeviceClasses) {
    if (!is_typo_of_name(text, known)) continue;
    const Inventory* inventory = context.inventory();
    if (inventory != nullptr && inventory->find("resource.k8s.io", "DeviceClass", "", text)) return;
    context.lint(
        name, "no driver brings the class " + shown(text) + "; did you mean " + shown(known) + "?");
    return;
  }
}

/// Of a ResourceClaim, or of a template of claims.
void device_classes(View object, CheckContext& context) {
  const View own = get(object, "spec");
  const View inner = get(own, "spec");
  for (View request : items_at(get(inner ? inner : own, "devices"), "requests")) {
    near_class(request, context);
    near_class(get(request, "exactly"), context);
    for (View each : items_at(request, "firstAvailable")) near_class(each, context);
  }
}

void claims_and_templates(const Pod& pod, CheckContext& context) {
  claim_templates(pod, context);
  claim_of_template(pod, context);
  requests_of_claims(pod, context);
}

/// GPUs that a template gives to a claim; 0 where they cannot be counted.
std::int64_t gpus_of(View template_object) {
  std::int64_t all = 0;
  const View spec = get(get(template_object, "spec"), "spec");
  for (View request : items_at(get(spec, "devices"), "requests")) {
    const View exactly = get(request, "exactly");
    const View own = exactly ? exactly : request;  // before v1beta2
    const bool is_counted = string_at(own, "deviceClassName") == "gpu.nvidia.com" &&
                            string_at(own, "allocationMode") != "All";
    if (!is_counted) return 0;
    all += std::clamp<std::int64_t>(integer_at(own, "count").value_or(1), 0, 1024);
  }
  return all;
}

/// The launcher starts a process for each GPU of the claims, and no more.
void processes_of_claims(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (!has_items(get(role.pod.spec, "resourceClaims"))) continue;
    const Inventory* inventory = context.inventory();
    if (inventory == nullptr) return;
    for (View container : role.containers) {
      const ExplicitNumber wanted = processes_per_pod(workload, container);
      std::int64_t there = role.devices.all();
      bool is_known = static_cast<bool>(wanted);
      for (View use : items_at(get(container, "resources"), "claims")) {
        const View made = template_of(role.pod, string_at(use, "name"), *inventory,
                                      metadata_namespace(context.object()));
        const std::int64_t own = get(use, "request") ? 0 : gpus_of(made);
        is_known = is_known && own > 0;
        there += own;
      }
      if (!is_known || there == 0 || wanted.number <= there) continue;
      context.lint(wanted.at, std::to_string(wanted.number) +
                                  " processes per pod, and its claims have " +
                                  std::to_string(there) + (there == 1 ? " GPU" : " GPUs"));
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "processes-of-claims",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "No more processes are started in a pod than its claims have GPUs.",
     .source = "pytorch/pytorch torch/distributed/run.py: nproc-per-node; kubernetes/kubernetes "
               "pkg/apis/resource/types.go ExactDeviceRequest",
     .workload = processes_of_claims,
     .severity = Severity::Warning,
     .because = "A process takes the GPU of its local rank, and one beyond the last fails with an "
                "invalid device ordinal.",
     .fix = "let the number of processes be that of the claimed GPUs"},
    {.name = "claim-template",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Templates of device claims are named as the object that makes them names them, "
                 "and are in the namespace of the pods; requests of a claim that containers name "
                 "are in its template.",
     .source = "NVIDIA/k8s-dra-driver-gpu api/nvidia.com/resource/v1beta1/computedomain.go; "
               "kubernetes/kubernetes pkg/controller/resourceclaim/controller.go",
     .pod = claims_and_templates,
     .severity = Severity::Warning,
     .because =
         "A pod whose claim template is not there is never scheduled, and a container with a "
         "request that the claim has not is given no device.",
     .fix = "name the template as in `spec.channel.resourceClaimTemplate` of the ComputeDomain, or "
            "as the ResourceClaimTemplate is called, and a request as it calls it",
     .rule = "network"},
    {.name = "device-class-name",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "resource.k8s.io ResourceClaim ResourceClaimTemplate",
     .sentence = "The class of a device is not one letter off from a known one.",
     .source = "NVIDIA/k8s-dra-driver-gpu deployments/helm/nvidia-dra-driver-gpu/templates, issue "
               "338",
     .object = device_classes,
     .severity = Severity::Warning,
     .because = "The scheduler finds no such class, and the pod stays Pending.",
     .fix = "name a class as `kubectl get deviceclasses` lists it"},
};

}  // namespace

const std::span<const Check> claim_template_lints = kChecks;

}  // namespace trainyard
