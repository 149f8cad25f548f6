#pragma once

#include <set>
#include <string_view>

#include "convert/conversion.h"

namespace trainyard {

/// The label by which a job of a runtime says which step of the TrainJob it is.
// kubeflow/trainer pkg/constants/constants.go
inline constexpr std::string_view kTrainJobStep = "trainer.kubeflow.org/trainjob-ancestor-step";

/// What a TrainJob and its runtime fetch before the training starts: `data.inputs`.
class TrainJobInputs {
 public:
  explicit TrainJobInputs(Conversion& job) : job_(job) {}

  /// Those that the TrainJob has an address for.
  void of_train_job();
  /// Those that only the runtime has one for; takes the jobs that fetch out of the JobSet.
  void of_runtime(NodeId job_set);

 private:
  void fetched_by_runtime(View step, std::string_view kind, std::string_view path);
  bool is_open(View variable) const;
  void one_initializer(View given, std::string_view kind, std::string_view path);
  void address(NodeId item, View uri, std::string_view kind);
  bool endpoint(NodeId item, View variable);
  void append_input(NodeId item);

  Conversion& job_;
  std::set<std::string_view> fetched_;  // the kinds of data for which the TrainJob has an address
};

}  // namespace trainyard
