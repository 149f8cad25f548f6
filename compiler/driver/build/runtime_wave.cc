#include "driver/build/runtime_wave.h"

namespace trainyard {
namespace {

constexpr std::string_view kWave = "argocd.argoproj.io/sync-wave";

NodeId map_at(Tree& tree, NodeId parent, std::string_view key, OriginId origin) {
  const NodeId found = tree.find(parent, key);
  if (found != kNoNode) return found;
  const NodeId made = tree.add_map(origin);
  tree.append(parent, key, made);
  return made;
}

}  // namespace

void sync_runtimes_first(const ClusterDocument* cluster, ObjectSet& objects, Origins& origins) {
  if (cluster == nullptr || !cluster->cluster.spec->gitops) return;
  const Located<GitOpsTool>& tool = cluster->cluster.spec->gitops->tool;
  if (*tool != GitOpsTool::ArgoCd) return;
  Tree& tree = objects.tree;
  for (const Object& object : objects.objects) {
    if (object.kind != "TrainingRuntime") continue;
    const OriginId origin = origins.add(OriginKind::Cluster, tool.span);
    const NodeId metadata = tree.find(object.root, "metadata");
    const NodeId annotations = map_at(tree, metadata, "annotations", origin);
    if (tree.find(annotations, kWave) != kNoNode) continue;  // the job says otherwise
    tree.append(annotations, kWave, tree.add_string("-1", origin));
  }
}

}  // namespace trainyard
