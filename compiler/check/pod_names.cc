#include "check/pod_names.h"

#include <string>

#include "check/place.h"
#include "schema/names.h"

namespace trainyard {
namespace {

/// Where a name stands below a pod template; `[]` stands for every item of a list.
struct NamePlace {
  std::string_view path;
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
  PodNames(const Tree& tree, const Origins& origins, Documents documents, Sink& sink)
      : tree_(tree), origins_(origins), documents_(documents), sink_(sink) {}

  void check(NodeId node, std::string_view path, const NamePlace& place) {
    if (node == kNoNode) return;
    if (path.empty()) return name(node, place);
    const std::size_t dot = path.find('.');
    std::string_view key = path.substr(0, dot);
    const std::string_view rest = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    const bool each = key.ends_with("[]");
    if (each) key.remove_suffix(2);
    const NodeId value = tree_.find(node, key);
    if (!each) return check(value, rest, place);
    for (NodeId item : tree_.children(value)) check(item, rest, place);
  }

 private:
  void name(NodeId node, const NamePlace& place) {
    if (tree_[node].kind != Kind::String) return;  // the schema says so
    const Fault fault = place.why_not(tree_[node].text);
    if (!fault) return;
    const Span value = text_place(origins_, tree_[node].origin);
    sink_.report(DiagnosticKind::BadName, key_place(documents_, value, tree_[node].text),
                 "the " + std::string(place.what) + " name `" + std::string(tree_[node].text) +
                     "` " + *fault);
  }

  const Tree& tree_;
  const Origins& origins_;
  Documents documents_;
  Sink& sink_;
};

}  // namespace

void check_pod_names(const ObjectSet& objects, const Origins& origins, Documents documents,
                     Sink& sink) {
  PodNames names(objects.tree, origins, documents, sink);
  for (const FilledPod& pod : objects.pods) {
    for (const NamePlace& place : kPlaces) names.check(pod.root, place.path, place);
  }
}

}  // namespace trainyard
