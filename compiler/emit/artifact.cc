#include "emit/artifact.h"

#include "emit/ownership.h"

#include "source/output_digest.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

bool awaits_digest(const Tree& tree, NodeId object) {
  return View(tree, object)["metadata"]["annotations"][kDigestAnnotation].text() == kDigestToCome;
}

/// Where the digest of an object has to go, whose text begins at `begin`. No other line before it
/// is as far to the left and has this key: names have no line breaks, and texts of several lines
/// stand further to the right.
std::size_t place_of_digest(std::string_view text, std::size_t begin) {
  constexpr std::string_view kLine = "\n    trainyard/digest: ";
  static_assert(kLine.substr(5, kDigestAnnotation.size()) == kDigestAnnotation);
  return text.find(kLine, begin) + kLine.size();
}

}  // namespace

void write_objects(const ObjectSet& objects, std::string& out,
                   std::vector<WrittenObject>* written) {
  const std::size_t begin = out.size();
  std::vector<std::size_t> waiting;  // places of digests
  for (std::size_t i = 0; i < objects.objects.size(); ++i) {
    out += "---\n";
    const std::size_t here = out.size();
    std::vector<WrittenNode>* nodes = nullptr;
    if (written != nullptr) {
      written->push_back({i, {}});
      nodes = &written->back().nodes;
    }
    const NodeId root = objects.objects[i].root;
    write_yaml(objects.tree, root, out, nodes);
    if (awaits_digest(objects.tree, root)) waiting.push_back(place_of_digest(out, here));
  }
  if (waiting.empty()) return;
  const std::string digest = "sha256:" + sha256_hex(std::string_view(out).substr(begin));
  for (const std::size_t at : waiting) out.replace(at, digest.size(), digest);
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
