#include "emit/artifact.h"

#include "emit/ownership.h"

#include "source/output_digest.h"
#include "source/sha256_of_each.h"

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

void write_undigested(const ObjectSet& objects, ObjectsText& to,
                      std::vector<WrittenObject>* written) {
  std::string& out = to.text;
  to.begin = out.size();
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
    if (awaits_digest(objects.tree, root)) to.digests.push_back(place_of_digest(out, here));
  }
}

void put_digests(std::span<ObjectsText* const> texts) {
  std::vector<ObjectsText*> waiting;
  std::vector<std::string_view> bytes;
  for (ObjectsText* each : texts) {
    if (each->digests.empty()) continue;
    waiting.push_back(each);
    bytes.push_back(std::string_view(each->text).substr(each->begin));
  }
  const std::vector<std::string> digests = sha256_hex_of_each(bytes);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    constexpr std::string_view kBefore = "sha256:";
    for (const std::size_t at : waiting[i]->digests) {
      waiting[i]->text.replace(at, kBefore.size() + digests[i].size(),
                               std::string(kBefore) + digests[i]);
    }
    waiting[i]->digests.clear();
  }
}

void write_objects(const ObjectSet& objects, std::string& out,
                   std::vector<WrittenObject>* written) {
  ObjectsText all{std::move(out)};
  write_undigested(objects, all, written);
  ObjectsText* const each = &all;
  put_digests({&each, 1});
  out = std::move(all.text);
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
