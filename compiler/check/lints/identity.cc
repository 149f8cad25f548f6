// Users that the kubelet does not let a container run as.

#include <string>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

/// A field of the container's security context, or that of the pod.
View effective(const Pod& pod, View container, std::string_view field) {
  const View own = get(get(container, "securityContext"), field);
  return own ? own : get(get(pod.spec, "securityContext"), field);
}

void refused_root(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View not_root = effective(pod, each.node, "runAsNonRoot");
    const View user = effective(pod, each.node, "runAsUser");
    if (!is_true(not_root) || integer_of(user) != 0) continue;
    context
        .lint(user, "container " + shown(string_at(each.node, "name")) +
                        " is to run as root, which `runAsNonRoot` forbids")
        .also(context.place(not_root), "forbidden here");
  }
}

constexpr Check kChecks[] = {
    {.name = "root-is-refused",
     .on = "pod",
     .sentence = "A container that must not run as root has another user.",
     .source = "kubernetes/kubernetes pkg/kubelet/kuberuntime/security_context.go "
               "verifyRunAsNonRoot",
     .pod = refused_root,
     .because = "The kubelet does not start it: the pod stays in CreateContainerConfigError.",
     .fix = "give `runAsUser` another number, or leave one of the two out"},
};

}  // namespace

const std::span<const Check> identity_lints = kChecks;

}  // namespace trainyard
