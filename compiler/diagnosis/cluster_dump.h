#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// Objects of a cluster as `kubectl get -o yaml` prints them. Their trees must outlive this.
class ClusterDump {
 public:
  /// Of a List, its items.
  void add(View object);

  /// The jobs that no other job of the dump has made, in their order.
  std::vector<View> jobs() const;
  /// The pods that a job, or a job that it made, has made; in the order of their names.
  std::vector<View> pods_of(View job) const;
  /// Events about an object.
  const std::vector<View>& events_of(View object) const;
  /// Kueue's Workload of a job; empty for none.
  View workload_of(View job) const;
  /// The claims among the dump that a pod mounts.
  std::vector<View> claims_of(View pod) const;
  /// Empty when the dump does not have it.
  View node_of(View pod) const;
  /// The job and all that it made, but for pods.
  std::vector<View> makers_of_pods(View job) const;

 private:
  using ByKey = std::unordered_map<std::string, std::vector<View>>;

  const std::vector<View>& owned_by(View object) const;

  std::vector<View> jobs_;
  ByKey objects_;  // each key is `Kind/namespace/name`
  ByKey owned_;    // by the key of the owner
  ByKey events_;   // by the key of what they are about
};

}  // namespace trainyard
