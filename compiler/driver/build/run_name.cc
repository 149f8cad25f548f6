#include "driver/build/run_name.h"

#include <string>

#include "kind/field_changes.h"
#include "source/sha256.h"
#include "target/content_name.h"
#include "tree/digest.h"

namespace trainyard {
namespace {

/// A value as all spellings of it have it.
void hash_value(Sha256& hash, View value) {
  Tree copy;
  copy.set_root(copy.copy(value.tree(), value.id()));
  canonicalise_amounts(copy, copy.root());
  hash_tree(hash, copy, copy.root());
}

std::string digits_of_run(const JobKinds& kinds, const Compilation& job) {
  Sha256 hash;
  for (const Object& object : job.objects.objects) {
    const View view(job.objects.tree, object.root);
    const JobKind* kind = kinds.find(view);
    if (kind == nullptr) kind = kinds.find_part(view);
    if (kind == nullptr) continue;
    hash.update_field(object.kind);
    for (const FixedPart& part : fixed_parts(kind->changes, view)) {
      hash.update_field(part.path);
      if (part.value) hash_value(hash, part.value);
    }
  }
  const Integer& generation = job.job.spec->generation;
  if (generation) hash.update_field("generation " + std::to_string(*generation));
  return hash.finish_hex().substr(0, kUnnamedRun.size());
}

void put_digits(Tree& tree, NodeId id, std::string_view digits) {
  const std::string_view text = tree[id].text;
  std::size_t at = text.find(kUnnamedRun);
  if (at != std::string_view::npos) {
    std::string named(text);
    for (; at != std::string::npos; at = named.find(kUnnamedRun, at + digits.size())) {
      named.replace(at, kUnnamedRun.size(), digits);
    }
    tree[id].text = tree.intern(named);
  }
  for (NodeId child : tree.children(id)) put_digits(tree, child, digits);
}

}  // namespace

void name_by_run(const JobKinds& kinds, Compilation& job) {
  if (*job.plan.name == *job.plan.job) return;
  Tree& tree = job.objects.tree;
  const std::string digits = digits_of_run(kinds, job);
  for (Object& object : job.objects.objects) {
    put_digits(tree, object.root, digits);
    object.name = View(tree, object.root)["metadata"]["name"].text();
  }
}

}  // namespace trainyard
