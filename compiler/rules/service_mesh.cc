#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  if (context.in.cluster == nullptr) return;
  const auto& mesh = context.in.cluster->spec->network->service_mesh;
  const OriginId origin = context.because({context.from(mesh)});
  const auto leave_out = [&](std::vector<Role>& roles) {
    for (Role& role : roles) {
      switch (mesh.value_or(ServiceMesh::None)) {
        case ServiceMesh::Istio:
          context.add(role.pod_labels, "sidecar.istio.io/inject", "false", origin);
          break;
        case ServiceMesh::Linkerd:
          context.add(role.pod_annotations, "linkerd.io/inject", "disabled", origin);
          break;
        case ServiceMesh::None:
          break;
      }
    }
  };
  leave_out(context.plan.roles);
  leave_out(context.plan.before);  // which a proxy would keep from ending
  leave_out(context.plan.after);
}

}  // namespace

extern const Rule service_mesh_rule{
    "service-mesh",
    Rule::Phase::Infer,
    "Pods of a job get no sidecar from the cluster's service mesh.",
    "A proxy that is put into the pod does not end with the program, and takes over the "
    "connections "
    "by which ranks meet (istio/istio pkg/kube/inject/inject.go; linkerd/linkerd2 "
    "pkg/k8s/labels.go).",
    "cluster.network.serviceMesh plan.before plan.after",
    "role.podLabels role.podAnnotations plan.before plan.after",
    run};

}  // namespace trainyard
