#pragma once

#include <string>
#include <string_view>

#include "diag/sink.h"

namespace trainyard {

/// A way in which a cluster can differ from its Cluster document.
struct DeviationKind {
  DiagnosticKind kind;
  std::string_view name;
  std::string_view sentence;
  Severity severity;
};

inline constexpr DeviationKind kOperatorMissing{
    DiagnosticKind::UnknownReference, "operator-missing",
    "Every operator that the Cluster lists is installed.", Severity::Error};
inline constexpr DeviationKind kOperatorRelease{
    DiagnosticKind::OutOfDate, "operator-release",
    "Operators are of the releases that the Cluster states.", Severity::Warning};
inline constexpr DeviationKind kOperatorNotListed{
    DiagnosticKind::OutOfDate, "operator-not-listed",
    "Every operator that is installed is in a Cluster that lists any.", Severity::Warning};
inline constexpr DeviationKind kServerRelease{
    DiagnosticKind::OutOfDate, "kubernetes-release",
    "The API server is of the release that the Cluster states.", Severity::Warning};
inline constexpr DeviationKind kPoolWithoutNodes{
    DiagnosticKind::UnknownReference, "pool-without-nodes", "Every pool has nodes with its labels.",
    Severity::Error};
inline constexpr DeviationKind kPoolCount{DiagnosticKind::OutOfDate, "pool-count",
                                          "Pools have as many nodes as the Cluster states.",
                                          Severity::Warning};
inline constexpr DeviationKind kPoolNodeState{DiagnosticKind::OutOfDate, "pool-node-state",
                                              "The nodes of pools are ready and take pods.",
                                              Severity::Warning};
inline constexpr DeviationKind kPoolOffersLess{DiagnosticKind::OutOfDate, "pool-offers-less",
                                               "Nodes offer what the Cluster says that they do.",
                                               Severity::Error};
inline constexpr DeviationKind kPoolTaint{
    DiagnosticKind::OutOfDate, "pool-taint",
    "Pools state the taints of their nodes, so that jobs tolerate them.", Severity::Error};
inline constexpr DeviationKind kPoolTopology{
    DiagnosticKind::OutOfDate, "pool-topology",
    "Nodes have the labels of the levels that their pool states.", Severity::Warning};
inline constexpr DeviationKind kNodesInNoPool{DiagnosticKind::OutOfDate, "nodes-in-no-pool",
                                              "Every node with GPUs is in a pool.",
                                              Severity::Warning};
inline constexpr DeviationKind kObjectMissing{DiagnosticKind::UnknownReference, "object-missing",
                                              "What jobs name in the cluster is there.",
                                              Severity::Error};
inline constexpr DeviationKind kObjectDiffers{
    DiagnosticKind::OutOfDate, "object-differs",
    "Classes, claims and namespaces are as the Cluster states.", Severity::Warning};
inline constexpr DeviationKind kQuotaDiffers{DiagnosticKind::OutOfDate, "quota-differs",
                                             "Quotas of namespaces are as the Cluster states.",
                                             Severity::Warning};
inline constexpr DeviationKind kRightsMissing{DiagnosticKind::OutOfDate, "rights-missing",
                                              "The user may do what the commands need.",
                                              Severity::Error};

/// Reports one, at the line of the Cluster document.
class Deviations {
 public:
  explicit Deviations(Sink& sink) : sink_(sink) {}

  Diagnostic& add(const DeviationKind& kind, Span place, std::string message) {
    Diagnostic made(kind.kind, place, std::move(message));
    made.severity = kind.severity;
    made.found_by = {kind.name, kind.sentence, kind.severity};
    return sink_.report(std::move(made));
  }

 private:
  Sink& sink_;
};

}  // namespace trainyard
