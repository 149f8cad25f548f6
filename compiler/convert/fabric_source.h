#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A fabric that pods may have been made for.
struct FabricMark {
  std::string fabric;
  std::string evidence;  // what no other fabric has; "" where others have it, too
};

/// Nodes that a spec may name; anywhere when both are empty.
struct FabricPlace {
  std::string machine;
  std::string pool;
};

/// A job that a build is to make with and without a fabric.
struct FabricTrial {
  std::string job;
  std::int64_t pods = 1;
  std::int64_t gpus = 0;
  std::string fabric;
  FabricPlace place;
  bool host_network = false;
  std::string_view level;  // of security
  std::string cpu, memory;
  std::vector<std::pair<std::string, std::string>> extended;  // resources of the pod's own
  std::vector<std::pair<std::string, std::string>> env;       // that the job sets otherwise
};

/// What a build makes: two pod templates, and the objects that only the fabric needs. Nothing in
/// the trees has an origin.
struct FabricBuild {
  Tree tree;
  View with;
  View without;
  std::vector<View> objects;
  std::string refusal;  // why nothing is made; "" where it is
};

/// What is known of fabrics to the one who can build.
class FabricSource {
 public:
  virtual ~FabricSource() = default;
  /// The fabrics of whose data a pod template has anything.
  virtual std::vector<FabricMark> marks(View pod_template) = 0;
  /// The nodes whose labels the pod template has, which have the fabric; anywhere is the last.
  virtual std::vector<FabricPlace> places(View pod_template, std::string_view fabric) = 0;
  virtual std::unique_ptr<FabricBuild> build(const FabricTrial& trial) = 0;
};

}  // namespace trainyard
