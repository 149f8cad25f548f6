#include "driver/plan/keeper.h"

#include <array>

#include "diag/words.h"

namespace trainyard {
namespace {

/// A label or annotation by which a tool knows the objects that it keeps.
struct KeeperMark {
  std::string_view key;
  std::string_view tool;
};
constexpr std::array<KeeperMark, 5> kMarks = {{
    {"argocd.argoproj.io/tracking-id", "Argo CD application"},
    {"argocd.argoproj.io/instance", "Argo CD application"},
    {"kustomize.toolkit.fluxcd.io/name", "Flux Kustomization"},
    {"helm.toolkit.fluxcd.io/name", "Flux HelmRelease"},
    {"meta.helm.sh/release-name", "Helm release"},
}};

}  // namespace

Keeper keeper_of(View object) {
  for (const std::string_view map : {"annotations", "labels"}) {
    for (const KeeperMark& mark : kMarks) {
      const View value = object["metadata"][map][mark.key];
      if (!value) continue;
      // A tracking id is `application:group/Kind:namespace/name`.
      return {mark.tool, value.text().substr(0, value.text().find(':'))};
    }
  }
  return {};
}

std::string other_keeper(View object) {
  const Keeper keeper = keeper_of(object);
  return keeper.tool.empty() ? std::string() : std::string(keeper.tool) + " " + shown(keeper.name);
}

}  // namespace trainyard
