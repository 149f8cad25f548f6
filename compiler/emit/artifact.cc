#include "emit/artifact.h"

#include "emit/ownership.h"

namespace trainyard {

void write_objects(const ObjectSet& objects, std::string& out, std::vector<WrittenObject>* written,
                   std::vector<ScalarPlace>* scalars) {
  for (std::size_t i = 0; i < objects.objects.size(); ++i) {
    out += "---\n";
    std::vector<WrittenNode>* nodes = nullptr;
    if (written != nullptr) {
      written->push_back({i, {}});
      nodes = &written->back().nodes;
    }
    write_yaml(objects.tree, objects.objects[i].root, out, nodes, scalars);
  }
}

Artifact kustomization(const std::vector<std::string>& names) {
  Tree tree;
  const NodeId root = tree.add_map();
  tree.append(root, "apiVersion", tree.add_string("kustomize.config.k8s.io/v1beta1"));
  tree.append(root, "kind", tree.add_string("Kustomization"));
  const NodeId resources = tree.add_seq();
  for (const std::string& name : names) tree.append(resources, tree.add_string(name));
  tree.append(root, "resources", resources);
  Artifact result{"kustomization.yaml", owned_beginning(kDirectorySource)};
  write_yaml(tree, root, result.text);
  seal(result.text);
  return result;
}

}  // namespace trainyard
