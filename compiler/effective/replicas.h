#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "effective/pod_parts.h"
#include "effective/pods.h"

namespace trainyard {

/// What the kinds of the Training Operator differ in.
struct ReplicaKind {
  std::string_view specs;      // the field of `spec` with a replica spec for each role
  std::string_view container;  // the one that the job's port belongs to
  std::string_view port_name;
  std::int64_t port = 0;
  std::string_view restart_policy;  // where a role has none
  std::string_view operator_name;   // label of the pods
};

/// One role of such a job after its defaults are filled in.
struct Replica {
  std::string type;  // `Worker`, however it was written
  View spec;
  std::int64_t count = 1;

  std::string lower() const;
};

/// A job of the Training Operator.
class ReplicaJob {
 public:
  ReplicaJob(View job, const ReplicaKind& kind);

  View object() const { return job_; }
  View spec() const;
  const ReplicaKind& kind() const { return kind_; }
  const std::vector<Replica>& replicas() const { return replicas_; }
  const Replica* find(std::string_view type) const;
  std::int64_t total() const;
  /// `train-worker-3`: the name of the pod and of the Service in front of it.
  std::string pod_name(std::string_view type, std::int64_t index) const;
  /// The port of a role's main container.
  std::int64_t port_of(const Replica& replica) const;

 private:
  View job_;
  const ReplicaKind& kind_;
  std::vector<Replica> replicas_;
};

std::vector<PodRole> replica_roles(View job, const ReplicaKind& kind);

/// The pod of a replica with all that is the same for these kinds: name, labels, the default port
/// and the restart policy. `master` says whether it gets the label of one.
/// kubeflow/training-operator pkg/controller.v1/common/pod.go
PodDraft draft_replica(PodBuilder& maker, const ReplicaJob& job, const Replica& replica,
                       std::int64_t index, bool master, EffectivePod& out);

}  // namespace trainyard
