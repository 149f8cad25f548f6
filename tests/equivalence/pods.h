#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trainyard::testing {

/// A pod that the controllers of a target make from a spec.
struct SynthesizedPod {
  std::string role;
  std::int64_t index = 0;
  std::int64_t rank = -1;  // of its node, as the plan has it; -1 for one that does not train
  nlohmann::json pod;
  std::string hostname;
  std::string address;  // for other pods of the namespace
};

/// What a target makes of a spec: all its pods, or why there are none.
struct MadeJob {
  std::vector<SynthesizedPod> pods;
  std::vector<std::string> errors;
};

/// Compiles `spec` (the text of a TrainingJob) for `target` and asks what pods come of it.
MadeJob made_by(const std::string& target, const std::string& spec);

/// Targets that are available and whose pods are known.
std::vector<std::string> targets_with_pods();

}  // namespace trainyard::testing
