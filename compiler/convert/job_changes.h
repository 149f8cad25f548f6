#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "effective/pod_builder.h"
#include "effective/pods.h"
#include "manifest/kubernetes_version.h"
#include "tree/tree.h"

namespace trainyard {

/// One of two jobs of a kind, and who makes its pods. A TrainJob is folded into its JobSet.
struct ComparedJob {
  View job;
  PodBuilder& maker;
};

/// What one cause changes between two jobs: at its first place, with the others named.
struct JobChange {
  std::string role;    // of the pods; "" for the job itself
  std::string path;    // as SeenValue has it
  std::string before;  // "" for none
  std::string after;
  bool was_there = true;
  bool is_there = true;
  View from;                      // the value before, or what is nearest to it
  View to;                        // the value after; may be empty
  std::vector<std::string> also;  // further places with the same cause
  std::string_view advice;        // how to keep it
};

/// The differences between the pods of two jobs and between the jobs, without those that mean the
/// same (convert/same_meaning.h) and those at values that `is_told` says were reported. Pods are
/// compared by rank, whatever their roles are called. None where the pods of the kind are not
/// known.
std::vector<JobChange> changes_between(const ComparedJob& before, const ComparedJob& after,
                                       KubernetesVersion version,
                                       const std::function<bool(View value)>& is_told);

/// The differences between two claims or two ConfigMaps; places stand behind kind and name.
std::vector<JobChange> changes_of_part(const ComparedJob& before, const ComparedJob& after,
                                       const std::function<bool(View value)>& is_told);

/// The text of the input that a value was copied from; unknown for what a controller made.
Span place_of(const ComparedJob& job, View value);

}  // namespace trainyard
