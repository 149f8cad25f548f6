#include "emit/artifact.h"

#include <algorithm>

namespace trainyard {

void write_objects(const ObjectSet& objects, std::string& out,
                   std::vector<WrittenObject>* written) {
  for (std::size_t i = 0; i < objects.objects.size(); ++i) {
    out += "---\n";
    std::vector<WrittenNode>* nodes = nullptr;
    if (written != nullptr) {
      written->push_back({i, {}});
      nodes = &written->back().nodes;
    }
    write_yaml(objects.tree, objects.objects[i].root, out, nodes);
  }
}

Artifact kustomization(const std::vector<Artifact>& files) {
  std::vector<std::string> names;
  for (const Artifact& file : files) {
    if (file.path.ends_with(".yaml")) names.push_back(file.path);
  }
  std::sort(names.begin(), names.end());

  Tree tree;
  const NodeId root = tree.add_map();
  tree.append(root, "apiVersion", tree.add_string("kustomize.config.k8s.io/v1beta1"));
  tree.append(root, "kind", tree.add_string("Kustomization"));
  const NodeId resources = tree.add_seq();
  for (const std::string& name : names) tree.append(resources, tree.add_string(name));
  tree.append(root, "resources", resources);
  Artifact result{"kustomization.yaml", std::string(kHeader)};
  write_yaml(tree, root, result.text);
  return result;
}

}  // namespace trainyard
