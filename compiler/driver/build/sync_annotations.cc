#include "driver/build/sync_annotations.h"

#include <algorithm>

namespace trainyard {
namespace {

constexpr std::string_view kWave = "argocd.argoproj.io/sync-wave";
constexpr std::string_view kSubstitute = "kustomize.toolkit.fluxcd.io/substitute";

NodeId map_at(Tree& tree, NodeId parent, std::string_view key, OriginId origin) {
  const NodeId found = tree.find(parent, key);
  if (found != kNoNode) return found;
  const NodeId made = tree.add_map(origin);
  tree.append(parent, key, made);
  return made;
}

void annotate(Tree& tree, NodeId object, std::string_view key, std::string_view value,
              OriginId origin) {
  const NodeId annotations = map_at(tree, tree.find(object, "metadata"), "annotations", origin);
  if (tree.find(annotations, key) != kNoNode) return;  // the job says otherwise
  tree.append(annotations, key, tree.add_string(value, origin));
}

/// fluxcd/kustomize-controller docs/spec/v1/kustomizations.md "Post build variable substitution"
bool has_variable_in_braces(const Tree& tree, NodeId id) {
  if (tree[id].text.find("${") != std::string_view::npos) return true;
  return std::ranges::any_of(tree.children(id),
                             [&tree](NodeId each) { return has_variable_in_braces(tree, each); });
}

}  // namespace

void annotate_for_sync(const ClusterDocument* cluster, ObjectSet& objects, Origins& origins) {
  if (cluster == nullptr || !cluster->cluster.spec->gitops) return;
  const Located<GitOpsTool>& tool = cluster->cluster.spec->gitops->tool;
  Tree& tree = objects.tree;
  for (const Object& object : objects.objects) {
    const auto say = [&](std::string_view key, std::string_view value) {
      annotate(tree, object.root, key, value, origins.add(OriginKind::Cluster, tool.span));
    };
    if (*tool == GitOpsTool::ArgoCd && object.kind == "TrainingRuntime") {
      say(kWave, "-1");
    }
    if (*tool == GitOpsTool::Flux && has_variable_in_braces(tree, object.root)) {
      say(kSubstitute, "disabled");
    }
  }
}

}  // namespace trainyard
