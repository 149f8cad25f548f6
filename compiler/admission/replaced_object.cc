#include "admission/replaced_object.h"

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether a tool deletes what is there before it applies this: hooks of Argo CD and Helm, and
/// where a change is forced. argoproj/argo-cd docs/user-guide/sync-options.md,
/// fluxcd/kustomize-controller docs/spec/v1/kustomizations.md (Force)
bool is_made_anew(View object) {
  const View annotations = get(get(object, "metadata"), "annotations");
  return get(annotations, "argocd.argoproj.io/hook") || get(annotations, "helm.sh/hook") ||
         string_at(annotations, "argocd.argoproj.io/sync-options").find("Force=true") !=
             std::string_view::npos ||
         string_at(annotations, "kustomize.toolkit.fluxcd.io/force") == "enabled";
}

}  // namespace

View replaced(View object, CheckContext& context) {
  const View old = context.old();
  if (old && is_made_anew(object)) return {};
  const bool same = old && string_at(old, "apiVersion") == string_at(object, "apiVersion");
  return same ? old : View();
}

}  // namespace trainyard
