#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// An object that a kustomization lists, by the names that it has had on its way: kustomize finds
/// it by each.
struct KustomizedObject {
  std::string api_version;
  std::string kind;
  std::vector<std::string> names;
  std::vector<std::string> namespaces;
  View as_written;  // empty for one that is generated
  View now;  // with the patches so far; empty once it is gone, or something else has changed it
  bool is_exact = true;         // `now` has all that kustomize gives it
  bool replaces_lists = false;  // a merge has replaced lists as a whole
  bool is_patched = false;      // by the kustomization that is looked at
};

/// Whether nothing is to be filled in yet, and a pattern is the name itself.
bool is_plain_name(std::string_view name);

/// The objects that the `target` of a patch selects. Names and kinds are patterns; plain ones are
/// read.
struct PatchTarget {
  explicit PatchTarget(View target);

  bool may_select(const KustomizedObject& object) const;
  /// Whether it is certain to select one that it may select.
  bool is_exact(const KustomizedObject& object) const;

  std::string_view kind;
  std::string_view name;
  std::string_view group;
  std::string_view version;
  bool is_simple;
  bool has_namespace;
};

/// Lays patches over objects, each over a copy.
class PatchLayer {
 public:
  /// Values that are copied or gone through in one run. What comes after them is not followed.
  static constexpr std::size_t kMost = 2'000'000;

  explicit PatchLayer(const SchemaPack& schemas) : schemas_(schemas) {}

  /// As kustomize does: a strategic merge for the kinds of Kubernetes, for others a JSON merge.
  void merge(KustomizedObject& object, View patch);
  /// A JSON patch. Why it cannot be done, as the end of a sentence about the object; "" if it can,
  /// or if that is not known.
  std::string operate(KustomizedObject& object, View operations);
  void set_replicas(KustomizedObject& object, View count);
  /// From here on it is not known what the object is.
  void lose(KustomizedObject& object);

  View copy(View object);
  /// Whether as many more values may be gone through.
  bool may_go_through(std::size_t values);
  bool is_used_up() const { return left_ == 0; }

  std::deque<Tree> trees;  // that the objects stand in
  bool follows = true;     // no object of a file was lost

 private:
  bool is_core(const KustomizedObject& object) const;
  /// A copy to be changed; null where it is not known what the object is.
  Tree* change(KustomizedObject& object);

  const SchemaPack& schemas_;
  std::size_t left_ = kMost;
};

}  // namespace trainyard
