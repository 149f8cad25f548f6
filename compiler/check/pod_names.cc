#include "check/pod_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "check/place.h"
#include "schema/names.h"

namespace trainyard {
namespace {

/// Where a name stands below a pod template; `[]` stands for every item of a list.
struct NamePlace {
  constexpr NamePlace(std::string_view path, std::string_view called,
                      Fault (*fault)(std::string_view))
      : what(called), why_not(fault) {
    while (!path.empty()) {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      const bool list = end < path.size() && path[end] == '[';
      steps[count++] = path.substr(0, end);
      if (list) steps[count++] = kEach;
      path.remove_prefix(std::min(end + (list ? 3 : 1), path.size()));
    }
  }

  static constexpr std::string_view kEach = "[]";
  std::array<std::string_view, 8> steps;  // taken apart once, not for every pod
  std::size_t count = 0;
  std::string_view what;
  Fault (*why_not)(std::string_view);
};

constexpr NamePlace kPlaces[] = {
    {"spec.serviceAccountName", "service account", why_not_subdomain},
    {"spec.priorityClassName", "priority class", why_not_subdomain},
    {"spec.runtimeClassName", "runtime class", why_not_subdomain},
    {"spec.imagePullSecrets[].name", "Secret", why_not_subdomain},
    {"spec.volumes[].name", "volume", why_not_dns_label},
    {"spec.volumes[].persistentVolumeClaim.claimName", "claim", why_not_subdomain},
    {"spec.volumes[].configMap.name", "ConfigMap", why_not_subdomain},
    {"spec.volumes[].secret.secretName", "Secret", why_not_subdomain},
    {"spec.containers[].name", "container", why_not_dns_label},
    {"spec.containers[].ports[].name", "port", why_not_port_name},
    {"spec.containers[].env[].name", "environment variable", why_not_env_name},
    {"spec.containers[].env[].valueFrom.secretKeyRef.name", "Secret", why_not_subdomain},
    {"spec.containers[].env[].valueFrom.secretKeyRef.key", "key", why_not_config_key},
    {"spec.containers[].envFrom[].secretRef.name", "Secret", why_not_subdomain},
    {"spec.containers[].envFrom[].configMapRef.name", "ConfigMap", why_not_subdomain},
};

class PodNames {
 public:
  PodNames(const Tree& tree, const Origins& origins, Sink& sink)
      : tree_(tree), origins_(origins), sink_(sink) {}

  void check(NodeId node, const NamePlace& place, std::size_t step = 0) {
    for (; node != kNoNode && step < place.count; ++step) {
      if (place.steps[step] == NamePlace::kEach) {
        for (NodeId item : tree_.children(node)) check(item, place, step + 1);
        return;
      }
      node = tree_.find(node, place.steps[step]);
    }
    if (node != kNoNode) name(node, place);
  }

 private:
  void name(NodeId node, const NamePlace& place) {
    if (tree_[node].kind != Kind::String) return;  // the schema says so
    const Fault fault = place.why_not(tree_[node].text);
    if (!fault) return;
    sink_.report(DiagnosticKind::BadName, text_place(origins_, tree_[node].origin),
                 "the " + std::string(place.what) + " name `" + std::string(tree_[node].text) +
                     "` " + *fault);
  }

  const Tree& tree_;
  const Origins& origins_;
  Sink& sink_;
};

}  // namespace

void check_pod_names(const ObjectSet& objects, const Origins& origins, Sink& sink) {
  PodNames names(objects.tree, origins, sink);
  for (const FilledPod& pod : objects.pods) {
    for (const NamePlace& place : kPlaces) names.check(pod.root, place);
  }
}

}  // namespace trainyard
