// Templates of device claims that pods name, against those that the inputs make.

#include <string>
#include <vector>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "diag/suggest.h"
#include "schema/words.h"

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
    const Made* elsewhere = nullptr;
    bool is_there = false;
    for (const Made& each : made) {
      const std::string_view theirs = namespace_of(each.object);
      const bool reachable = own.empty() || theirs.empty() || own == theirs;
      if (reachable) near.push_back(each.name);
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
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "claim-template",
     .on = "pod",
     .sentence = "Templates of device claims are named as the object that makes them names them, "
                 "and are in the namespace of the pods.",
     .source = "NVIDIA/k8s-dra-driver-gpu api/nvidia.com/resource/v1beta1/computedomain.go; "
               "kubernetes/kubernetes pkg/controller/resourceclaim/controller.go",
     .pod = claim_templates,
     .severity = Severity::Warning,
     .because = "A pod whose claim template is not there is never scheduled.",
     .fix = "name the template as in `spec.channel.resourceClaimTemplate` of the ComputeDomain, or "
            "as the ResourceClaimTemplate is called",
     .rule = "network"},
};

}  // namespace

const std::span<const Check> claim_template_lints = kChecks;

}  // namespace trainyard
