#pragma once

#include <string_view>
#include <vector>

#include "target/target_pack.h"
#include "tree/tree.h"

namespace trainyard {

/// One Kubernetes object. Texts are views into the set's tree.
struct Object {
  NodeId root = kNoNode;
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
};

/// The objects of one job or platform, in the order in which they have to be created.
struct ObjectSet {
  Tree tree;
  std::vector<Object> objects;
  std::vector<FilledPod> pods;

  /// Notes the object below `root`, whose identity is read off its tree.
  void add(NodeId root);
  void clear() {
    tree.clear();
    objects.clear();
    pods.clear();
  }
};

/// Fills the templates of `pack` from a finished plan, in the dialect of this release of the
/// target's operator; without one, of the newest. Texts stay in the plan and in the templates,
/// which outlive the set.
void fill_target(const Plan& plan, const TargetPack& pack, const std::optional<Release>& release,
                 Origins& origins, ObjectSet& out, Sink& sink);

/// The same for a platform.
void fill_platform(const PlatformPlan& plan, const PlatformPack& pack, Origins& origins,
                   ObjectSet& out, Sink& sink);

}  // namespace trainyard
