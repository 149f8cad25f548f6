#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/runai/runai_calls.h"
#include "tree/tree.h"

namespace trainyard {

/// A field of a workload that the API of Run:ai cannot express.
struct RunaiProblem {
  std::string field;  // `spec.migProfile`
  std::string why;
};

/// A TrainingWorkload or DistributedWorkload in the form of the API: without wrappers, with lists
/// in the place of maps, and numbers in the place of texts (runai-professional-services/runapy
/// .generator/swagger.json, TrainingCreationRequest and DistributedCreationRequest).
///
/// Every field has its place in there, or a problem.
struct RunaiSubmission {
  RunaiSort sort = RunaiSort::Training;
  std::string name;
  bool is_prefix = false;
  Tree body;  // `spec`, and `masterSpec` or `masterSpecSameAsWorker`
  std::vector<RunaiProblem> problems;
  /// Fields of the API, `spec.compute.gpuDevicesRequest`, with those of the workload that they come
  /// from.
  std::vector<std::pair<std::string, std::string>> sources;

  /// What is posted.
  std::string text(std::string_view project, std::string_view cluster) const;
  /// The field of the workload that one of the API comes from; "" where none is known.
  std::string source_of(std::string_view field) const;
};

bool is_runai_workload(std::string_view api_version, std::string_view kind);
RunaiSubmission runai_submission(View workload);

/// Every parameter of a workload that has a place in the API, for the test that compares them with
/// the schema.
std::vector<std::string_view> runai_parameters();

}  // namespace trainyard
