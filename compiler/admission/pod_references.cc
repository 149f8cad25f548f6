#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What a pod names by one text at the top of its spec.
struct Reference {
  std::string_view key;
  std::string_view what;
};
constexpr Reference kReferences[] = {
    {"serviceAccountName", "service account"},
    {"serviceAccount", "service account"},
    {"priorityClassName", "priority class"},
    {"runtimeClassName", "runtime class"},
    {"nodeName", "node"},
};

void references(const Pod& pod, CheckContext& context) {
  for (const Reference& reference : kReferences) {
    context.name(get(pod.spec, reference.key), reference.what, why_not_subdomain);
  }
  for (View secret : items_at(pod.spec, "imagePullSecrets")) {
    const View name = get(secret, "name");
    if (context.is_ours()) {
      context.name(name, "Secret", why_not_subdomain);
    } else if (const Fault fault =
                   string_of(name).empty() ? Fault() : why_not_subdomain(name->text)) {
      // kubernetes/kubernetes pkg/kubelet/kubelet_pods.go getPullSecretsForPod passes over it.
      context.warn(name, "there can be no Secret " + shown(name->text) + ": its name " + *fault)
          .note("the image is pulled without it, which a registry may refuse");
    }
  }
}

/// What a pod takes beside its containers comes from its class alone. A patch may leave the class
/// to what it is laid over.
void overhead(const Pod& pod, CheckContext& context) {
  const View stated = get(pod.spec, "overhead");
  if (!has_items(stated) || get(pod.spec, "runtimeClassName")) return;
  if ((pod.controller_defaults & kIsPatch) == kIsPatch) return;
  context.refuse_key(stated,
                     "`overhead` is what the class in `runtimeClassName` takes, and this pod names "
                     "none: leave it out, or name the class and let the API server fill it in");
}

constexpr Check kChecks[] = {
    {.name = "pod-references",
     .group = CheckGroup::Core,
     .sentence = "Names of service accounts, classes and nodes are valid.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidatePodSpec",
     .pod = references},
    {.name = "pod-overhead",
     .group = CheckGroup::Core,
     .sentence = "A pod says what it takes beside its containers only as its RuntimeClass does.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/runtimeclass/admission.go "
               "validateOverhead",
     .pod = overhead},
};

}  // namespace

constinit const std::span<const Check> pod_reference_checks = kChecks;

}  // namespace trainyard
