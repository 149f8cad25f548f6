// Proxies of a service mesh in pods that are to end.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// How a namespace tells a mesh to put its proxy into pods, and how a pod refuses.
struct Mesh {
  std::string_view name;
  std::string_view metadata;  // where the namespace says so: `labels` or `annotations`
  std::string_view key;
  std::string_view value;  // "" for any
  std::string_view pod_key;
  std::string_view pod_value;
  bool by_label = false;  // a label of the pod does as well as an annotation
};

// istio/istio pkg/kube/inject/inject.go; linkerd/linkerd2 pkg/inject/inject.go.
constexpr auto kMeshes = std::to_array<Mesh>({
    {"Istio", "labels", "istio-injection", "enabled", "sidecar.istio.io/inject", "false", true},
    {"Istio", "labels", "istio.io/rev", "", "sidecar.istio.io/inject", "false", true},
    {"Linkerd", "annotations", "linkerd.io/inject", "enabled", "linkerd.io/inject", "disabled"},
    {"Linkerd", "annotations", "linkerd.io/inject", "ingress", "linkerd.io/inject", "disabled"},
});

/// Those whose pods end; services of a mesh are none of our business.
bool ends(const Workload& workload) {
  constexpr auto groups = std::to_array<std::string_view>(
      {"batch", "batch.volcano.sh", "jobset.x-k8s.io", "kubeflow.org"});
  return std::ranges::find(groups, workload.group) != groups.end();
}

View request_of(View name_space, const Mesh& mesh) {
  const View metadata = get(name_space, "metadata");
  const View request = get(get(metadata, mesh.metadata), mesh.key);
  if (!request || !request->is_scalar()) return {};
  if (!mesh.value.empty() && request->text != mesh.value) return {};
  // One that says no counts before a revision (pkg/kube/inject/webhook.go).
  const bool refused = mesh.key == "istio.io/rev" &&
                       string_at(get(metadata, "labels"), "istio-injection") == "disabled";
  return refused ? View() : request;
}

bool declines(const Pod& pod, const Mesh& mesh) {
  if (mesh.by_label && is_true(get(pod.spec, "hostNetwork"))) return true;  // it skips these itself
  const View annotations = get(pod.metadata, "annotations");
  const View labels = get(pod.metadata, "labels");
  return string_at(annotations, mesh.pod_key) == mesh.pod_value ||
         (mesh.by_label && string_at(labels, mesh.pod_key) == mesh.pod_value);
}

/// Pods that ask for a proxy themselves, whatever their namespace says.
bool asks_itself(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (const Mesh& mesh : kMeshes) {
      const View own = get(get(role.pod.metadata, "annotations"), mesh.pod_key);
      const View label =
          mesh.by_label ? get(get(role.pod.metadata, "labels"), mesh.pod_key) : View();
      const View request = label ? label : own;
      const std::string_view text = string_of(request);
      if (text != "true" && text != "enabled" && text != "ingress") continue;
      context.lint(request, "these pods ask for the proxy of " + std::string(mesh.name));
      return true;
    }
  }
  return false;
}

/// Whether the proxy ends with the pod: as a native sidecar, or because the program tells it to.
/// istio/istio pkg/kube/inject/webhook.go; linkerd/linkerd2 pkg/k8s/labels.go;
/// linkerd/linkerd-await
bool ends_proxy(const WorkloadRole& role) {
  constexpr auto native = std::to_array<std::string_view>(
      {"sidecar.istio.io/nativeSidecar", "config.alpha.linkerd.io/proxy-enable-native-sidecar",
       "config.beta.linkerd.io/proxy-enable-native-sidecar"});
  const View annotations = get(role.pod.metadata, "annotations");
  for (std::string_view key : native) {
    if (string_at(annotations, key) == "true") return true;
  }
  return std::ranges::any_of(role.containers, [](View container) {
    return std::ranges::any_of(command_words(container), [](const ShellWord& word) {
      return word.text.find("quitquitquit") != word.text.npos ||
             word.text.find("linkerd-await") != word.text.npos;
    });
  });
}

/// A pod alone has no ranks that meet.
bool bears_proxy(const Workload& workload) {
  return workload.pods() < 2 && std::ranges::all_of(workload.roles, ends_proxy);
}

void proxies(const Workload& workload, CheckContext& context) {
  if (!ends(workload) || bears_proxy(workload) || asks_itself(workload, context)) return;
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  const Inventory* inventory = own.empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const View name_space = inventory->find("", "Namespace", "", own);
  for (const Mesh& mesh : kMeshes) {
    const View request = name_space ? request_of(name_space, mesh) : View();
    if (!request) continue;
    for (const WorkloadRole& role : workload.roles) {
      if (!role.pod.spec || declines(role.pod, mesh)) continue;
      context
          .lint(role.pod.holder, std::string(mesh.name) +
                                     " puts its proxy into these pods, as namespace " + shown(own) +
                                     " asks it to")
          .also(context.place(request), "asked for here")
          .note("pods decline by the " + std::string(mesh.by_label ? "label " : "annotation ") +
                shown(std::string(mesh.pod_key) + ": " + std::string(mesh.pod_value)));
      return;
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "mesh-proxy",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Pods of a job decline the proxy that their namespace has a service mesh put into "
                 "pods.",
     .source = "istio/istio pkg/kube/inject/inject.go injectRequired; linkerd/linkerd2 "
               "pkg/inject/inject.go; kubeflow/trainer issues 1637 and 1681",
     .workload = proxies,
     .severity = Severity::Warning,
     .because = "The proxy takes over the connections by which ranks meet, and where it is no "
                "native sidecar the pod never ends.",
     .fix = "decline it in the pod template, or train in a namespace without the mesh"},
};

}  // namespace

const std::span<const Check> mesh_lints = kChecks;

}  // namespace trainyard
