#pragma once

#include <string>
#include <string_view>

#include "diag/sink.h"

namespace trainyard {

/// A way in which a cluster can differ from its Cluster document.
struct DeviationKind {
  std::string_view name;
  std::string_view sentence;
  Severity severity;
};

inline constexpr DeviationKind kOperatorMissing{
    "operator-missing", "Every operator that the Cluster lists is installed.", Severity::Error};
inline constexpr DeviationKind kOperatorRelease{
    "operator-release", "Operators are of the releases that the Cluster states.",
    Severity::Warning};
inline constexpr DeviationKind kOperatorNotListed{
    "operator-not-listed", "Every operator that is installed is in a Cluster that lists any.",
    Severity::Warning};
inline constexpr DeviationKind kServerRelease{
    "kubernetes-release", "The API server is of the release that the Cluster states.",
    Severity::Warning};
inline constexpr DeviationKind kPoolWithoutNodes{
    "pool-without-nodes", "Every pool has nodes with its labels.", Severity::Error};
inline constexpr DeviationKind kPoolCount{
    "pool-count", "Pools have as many nodes as the Cluster states.", Severity::Warning};
inline constexpr DeviationKind kPoolNodeState{
    "pool-node-state", "The nodes of pools are ready and take pods.", Severity::Warning};
inline constexpr DeviationKind kPoolOffersLess{
    "pool-offers-less", "Nodes offer what the Cluster says that they do.", Severity::Error};
inline constexpr DeviationKind kPoolTaint{
    "pool-taint", "Pools state the taints of their nodes, so that jobs tolerate them.",
    Severity::Error};
inline constexpr DeviationKind kPoolTopology{
    "pool-topology", "Nodes have the labels of the levels that their pool states.",
    Severity::Warning};
inline constexpr DeviationKind kNodesInNoPool{
    "nodes-in-no-pool", "Every node with GPUs is in a pool.", Severity::Warning};
inline constexpr DeviationKind kObjectMissing{
    "object-missing", "What jobs name in the cluster is there.", Severity::Error};
inline constexpr DeviationKind kObjectDiffers{
    "object-differs", "Classes, claims and namespaces are as the Cluster states.",
    Severity::Warning};
inline constexpr DeviationKind kQuotaDiffers{
    "quota-differs", "Quotas of namespaces are as the Cluster states.", Severity::Warning};
inline constexpr DeviationKind kRightsMissing{
    "rights-missing", "The user may do what the commands need.", Severity::Error};

/// Reports one, at the line of the Cluster document.
class Deviations {
 public:
  explicit Deviations(Sink& sink) : sink_(sink) {}

  Diagnostic& add(const DeviationKind& kind, Span place, std::string message) {
    Diagnostic made(DiagnosticKind::ClusterDiffers, place, std::move(message));
    made.severity = kind.severity;
    made.found_by = {kind.name, kind.sentence, kind.severity};
    return sink_.report(std::move(made));
  }

 private:
  Sink& sink_;
};

}  // namespace trainyard
