#include "target/content_name.h"

#include <string>

#include "plan/plan.h"
#include "source/sha256.h"
#include "tree/digest.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

void canonicalise(Tree& tree, NodeId amount) {
  const auto quantity = Quantity::parse(tree[amount].text);
  if (quantity) tree[amount].text = tree.intern(quantity->text());
}

std::string digits_of(const Tree& tree, NodeId object) {
  Sha256 hash;
  for (NodeId part : tree.children(object)) {
    const std::string_view key = tree[part].key;
    hash.update_field(key);
    const NodeId counts = key == "metadata" ? tree.find(part, "labels") : part;
    if (counts != kNoNode) hash_tree(hash, tree, counts);
  }
  return hash.finish_hex().substr(0, kUnnamedRuntime.size());
}

void rename(Tree& tree, NodeId id, std::string_view from, std::string_view to) {
  if (tree[id].key == "name" && tree[id].text == from) tree[id].text = to;
  for (NodeId child : tree.children(id)) rename(tree, child, from, to);
}

}  // namespace

void canonicalise_amounts(Tree& tree, NodeId id) {
  const bool amounts = tree[id].key == "requests" || tree[id].key == "limits";
  for (NodeId child : tree.children(id)) {
    if (!tree[child].is_scalar()) {
      canonicalise_amounts(tree, child);
    } else if (amounts || tree[child].key == "sizeLimit") {
      canonicalise(tree, child);
    }
  }
}

void name_by_content(ObjectSet& objects, std::string_view placeholder) {
  Tree& tree = objects.tree;
  for (const Object& object : objects.objects) {
    if (object.name != placeholder) continue;
    canonicalise_amounts(tree, object.root);
    std::string name(placeholder.substr(0, placeholder.size() - kUnnamedRuntime.size()));
    const std::string_view kept = tree.intern(name + digits_of(tree, object.root));
    for (Object& each : objects.objects) {
      rename(tree, each.root, placeholder, kept);
      each.name = View(tree, each.root)["metadata"]["name"].text();
    }
    return;
  }
}

}  // namespace trainyard
