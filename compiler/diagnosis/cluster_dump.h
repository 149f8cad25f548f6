#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kind/job_kind.h"
#include "tree/tree.h"

namespace trainyard {

/// Objects of a cluster as `kubectl get -o yaml` prints them, or as a client has listed them. Their
/// trees must outlive this. Of an object that is added twice the last one counts.
class ClusterDump {
 public:
  /// Of these kinds are its jobs, which must outlive this.
  explicit ClusterDump(const JobKinds& kinds = JobKinds::builtin());

  /// Of a List, its items.
  void add(View object);

  const JobKinds& job_kinds() const { return *job_kinds_; }
  /// The jobs that no other job of the dump has made, in their order.
  std::vector<View> jobs() const;
  /// The pods that a job, or a job that it made, has made, by owner or by label; in the order of
  /// their names.
  std::vector<View> pods_of(View job) const;
  /// Events about this very object, and not about an earlier one of its name.
  std::vector<View> events_of(View object) const;
  /// What holds a job, or a job that it made, for a queue.
  std::vector<View> queues_of(View job) const;
  /// Kueue's Workload of a job; empty for none.
  View workload_of(View job) const;
  /// Where a Workload stands in its queue, from 1 on, if the dump has Kueue's list of those that
  /// wait (`visibility.kueue.x-k8s.io`).
  std::optional<std::int64_t> position_of(View workload) const;
  /// The names of Kueue's LocalQueues in a namespace, in order.
  std::vector<std::string_view> queues_in(std::string_view name_space) const;
  /// The claims among the dump that a pod mounts.
  std::vector<View> claims_of(View pod) const;
  /// Empty when the dump does not have it.
  View node_of(View pod) const;
  /// The job and all that it made, but for pods and what holds it for a queue.
  std::vector<View> makers_of_pods(View job) const;

  /// Jobs that were added more than once, as `Kind/name`.
  const std::set<std::string>& repeated_jobs() const { return repeated_; }
  /// The kinds of all objects.
  std::set<std::string> kinds() const;
  /// The newest time that metadata, statuses and events tell, RFC 3339; "" for none.
  std::string_view newest_time() const;

 private:
  using Places = std::vector<std::size_t>;
  using ByKey = std::unordered_map<std::string, Places>;

  void put(View object);
  bool is_queue(View object) const;
  void index_labels(View pod, std::size_t place);
  std::vector<View> owned_by(View object) const;
  bool refers_to_job(View reference, std::string_view name_space) const;
  void add_selected(View job, const PodMarks& marks, std::vector<View>& pods) const;
  View find(std::string_view group, std::string_view kind, std::string_view name_space,
            std::string_view name) const;

  const JobKinds* job_kinds_;
  std::set<std::string_view> label_keys_;  // by which pods of any kind are found
  std::vector<View> objects_;
  Places jobs_;
  std::unordered_map<std::string, std::size_t> places_;  // by group, kind, namespace and name
  ByKey owned_;                                          // by kind, namespace and name of the owner
  ByKey events_;                                         // by that of the object they are about
  ByKey labelled_;                                       // pods, by namespace, label and value
  std::unordered_map<std::string, View> waiting_;        // of Kueue's list, by namespace and name
  std::map<std::string_view, std::set<std::string_view>> queues_;  // LocalQueues, by namespace
  std::set<std::string> repeated_;
};

/// Takes the newest time that the metadata or status of an object tells, or an event, if it is
/// newer.
void take_newest_time(View object, std::string_view& newest);

}  // namespace trainyard
