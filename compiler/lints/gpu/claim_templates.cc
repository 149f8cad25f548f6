// Templates of device claims that pods name, against those that the inputs make.

#include <string>
#include <vector>

#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "lints/tables.h"
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

std::string_view namespace_of(View object) {
  return string_at(get(object, "metadata"), "namespace");
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
  const std::vector<Made> made = made_templates(*inventory);
  const std::string_view own = namespace_of(context.object());
  for (View claim : items_at(pod.spec, "resourceClaims")) {
    const View wanted = get(claim, "resourceClaimTemplateName");
    if (string_of(wanted).empty()) continue;
    std::vector<std::string_view> near;
    std::vector<Made> beside;
    const Made* elsewhere = nullptr;
    bool is_there = false;
    for (const Made& each : made) {
      const std::string_view theirs = namespace_of(each.object);
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
                            shown(namespace_of(elsewhere->object)) + ", the pods are in " +
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
      const View made =
          template_of(pod, string_at(use, "name"), *inventory, namespace_of(context.object()));
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

void claims_and_templates(const Pod& pod, CheckContext& context) {
  claim_templates(pod, context);
  requests_of_claims(pod, context);
}

constexpr Check kChecks[] = {
    {.name = "claim-template",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "pod",
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
};

}  // namespace

const std::span<const Check> claim_template_lints = kChecks;

}  // namespace trainyard
