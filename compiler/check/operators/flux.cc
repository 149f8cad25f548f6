#include <string>

#include "check/check.h"
#include "check/operators/metadata.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

constexpr OperatorSpan kFlux{.name = "flux"};

void helm_repository(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View address = get(spec, "url");
  const bool oci = string_of(address).starts_with("oci://");
  const View type = get(spec, "type");
  if (oci && string_of(type) != "oci") {
    context.refuse(address, "an address of `oci://` needs `type: oci`");
  } else if (!oci && string_of(type) == "oci" && !string_of(address).empty()) {
    context.refuse(address, "with `type: oci` the address must begin with `oci://`");
  }
}

void git_repository(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View provider = get(spec, "provider");
  if (string_of(provider) == "github" && !get(spec, "secretRef")) {
    context.refuse(provider, "`provider: github` needs `secretRef`, with the data of the app");
  }
}

void dependencies(View object, CheckContext& context) {
  const View name = metadata_name(object);
  const std::string_view space = metadata_namespace(object);
  for (View other : items_at(get(object, "spec"), "dependsOn")) {
    const std::string_view other_space = string_at(other, "namespace");
    if (string_of(name).empty() || string_at(other, "name") != name->text) continue;
    if (!other_space.empty() && other_space != space) continue;
    context.refuse(other, "a Kustomization that depends on itself is never applied");
  }
}

constexpr Check kChecks[] = {
    {.name = "flux-helm-repository",
     .on = "source.toolkit.fluxcd.io HelmRepository",
     .sentence = "The address of a Helm repository fits its type.",
     .source = "fluxcd/source-controller internal/controller/helmrepository_controller.go, "
               "helmchart_controller.go",
     .object = helm_repository,
     .operators = kFlux},
    {.name = "flux-git-repository",
     .on = "source.toolkit.fluxcd.io GitRepository",
     .sentence = "A repository that is read as an app of GitHub has the app's data.",
     .source = "fluxcd/source-controller internal/controller/gitrepository_controller.go",
     .object = git_repository,
     .operators = kFlux},
    {.name = "flux-dependencies",
     .on = "kustomize.toolkit.fluxcd.io Kustomization",
     .sentence = "A Kustomization does not depend on itself.",
     .source = "fluxcd/kustomize-controller internal/controller/kustomization_controller.go "
               "checkDependencies",
     .object = dependencies,
     .operators = kFlux},
};

}  // namespace

constinit const std::span<const Check> flux_checks = kChecks;

}  // namespace trainyard
