#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/nodes.h"
#include "driver/survey/survey.h"

namespace trainyard {

using Amounts = std::map<std::string, Quantity, std::less<>>;  // by resource

/// A node of a cluster. Texts are views into the survey.
struct RealNode {
  std::string_view name;
  std::map<std::string_view, std::string_view> labels;
  std::vector<NodeTaint> taints;  // that keep pods away; without those for its own state
  Amounts allocatable;
  Amounts requested;        // by the pods that it runs
  Amounts of_daemons;       // by the pods of the DaemonSets that run on it
  std::size_t daemons = 0;  // how many of them request something
  bool is_ready = false;
  bool is_cordoned = false;

  bool has_labels(const std::map<std::string, std::string, std::less<>>& wanted) const;
  /// What it has for pods of jobs: without what DaemonSets request.
  Quantity for_jobs(std::string_view resource) const;
  /// What pods that come can get; zero where more is requested than there is.
  Quantity free(std::string_view resource) const;
  std::string_view label(std::string_view key) const;  // "" where it has none
};

/// All nodes by name, with what their pods and DaemonSets request.
std::vector<RealNode> real_nodes(const Survey& survey);

/// Whether it offers GPUs, or parts of them.
bool has_gpus(const RealNode& node);

/// What a pod requests of its node: that of its containers together, or of an init container that
/// wants more, with the overhead of its runtime class.
Amounts requests_of(View pod);

}  // namespace trainyard
