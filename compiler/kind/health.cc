#include "kind/health.h"

#include <algorithm>

namespace trainyard {
namespace {

bool never_ends(const JobKind& kind) {
  return std::ranges::none_of(
      kind.signs, [](const StatusSign& sign) { return sign.phase == JobPhase::Succeeded; });
}

/// Kinds whose own status says something, in the order of the file.
std::vector<const JobKind*> kinds_for(const JobKinds& kinds, std::string_view tool) {
  std::vector<const JobKind*> found;
  for (const JobKind& each : kinds.all()) {
    if (each.is_job() && !each.signs.empty() && !is_native(each, tool)) found.push_back(&each);
  }
  return found;
}

void append_text(Tree& tree, NodeId map, std::string_view key, const std::string& text) {
  tree.append(map, tree.intern(key), tree.add_string(tree.intern(text)));
}

}  // namespace

bool is_native(const JobKind& kind, std::string_view tool) {
  return std::ranges::find(kind.native, tool) != kind.native.end();
}

std::string_view argocd_word(const JobKind& kind, JobPhase phase, QueuedIs queued) {
  switch (phase) {
    case JobPhase::Succeeded:
      return "Healthy";
    case JobPhase::Failed:
      return "Degraded";
    case JobPhase::Suspended:
      return queued == QueuedIs::Healthy ? "Healthy" : "Suspended";
    case JobPhase::Running:
      return never_ends(kind) ? "Healthy" : "Progressing";
    case JobPhase::Pending:
    case JobPhase::Restarting:
    case JobPhase::Ending:
    case JobPhase::Failing:
      break;
  }
  return "Progressing";
}

std::string_view flux_word(const JobKind& kind, JobPhase phase, FluxGate gate) {
  switch (phase) {
    case JobPhase::Succeeded:
      return "Current";
    case JobPhase::Failed:
      return "Failed";
    case JobPhase::Running:
      return gate == FluxGate::Started || never_ends(kind) ? "Current" : "InProgress";
    case JobPhase::Suspended:
    case JobPhase::Ending:
      return gate == FluxGate::Started ? "Current" : "InProgress";
    case JobPhase::Pending:
    case JobPhase::Restarting:
    case JobPhase::Failing:
      break;
  }
  return "InProgress";
}

std::string argocd_health_key(const JobKind& kind) {
  return "resource.customizations.health." + std::string(kind.group) + "_" + std::string(kind.kind);
}

std::vector<const JobKind*> argocd_kinds(const JobKinds& kinds) {
  return kinds_for(kinds, "argocd");
}

std::vector<const JobKind*> flux_kinds(const JobKinds& kinds) {
  return kinds_for(kinds, "flux");
}

NodeId add_argocd_health(Tree& tree, std::span<const JobKind* const> kinds, QueuedIs queued) {
  const NodeId labels = tree.add_map();
  append_text(tree, labels, "app.kubernetes.io/part-of", "argocd");
  const NodeId metadata = tree.add_map();
  append_text(tree, metadata, "name", "argocd-cm");
  append_text(tree, metadata, "namespace", "argocd");
  // Argo CD reads no ConfigMap without it.
  tree.append(metadata, "labels", labels);
  const NodeId data = tree.add_map();
  for (const JobKind* each : kinds) {
    append_text(tree, data, argocd_health_key(*each), argocd_health(*each, queued));
  }
  const NodeId object = tree.add_map();
  append_text(tree, object, "apiVersion", "v1");
  append_text(tree, object, "kind", "ConfigMap");
  tree.append(object, "metadata", metadata);
  tree.append(object, "data", data);
  return object;
}

NodeId add_flux_health(Tree& tree, std::span<const JobKind* const> kinds, FluxGate gate) {
  const NodeId list = tree.add_seq();
  for (const JobKind* each : kinds) {
    const FluxHealth health = flux_health(*each, gate);
    const NodeId item = tree.add_map();
    append_text(tree, item, "apiVersion", health.api_version);
    append_text(tree, item, "kind", health.kind);
    append_text(tree, item, "failed", health.failed);
    append_text(tree, item, "current", health.current);
    tree.append(list, item);
  }
  return list;
}

}  // namespace trainyard
