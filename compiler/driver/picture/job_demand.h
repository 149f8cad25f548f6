#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "driver/explain/jobs_of_inputs.h"
#include "tree/quantity.h"

namespace trainyard {

/// Amounts by resource, as `pods` and `nvidia.com/gpu`.
using Amounts = std::map<std::string, Quantity, std::less<>>;

/// What a job of a fleet asks for.
struct JobDemand {
  std::string job;    // `JobSet/llama`
  std::string queue;  // "" for none
  std::int64_t pods = 0;
  std::int64_t gpus = 0;
  Amounts amounts = {};  // of all its pods
};

/// Nothing, with an error in the session's sink, where no controller would make its pods.
std::optional<JobDemand> demand_of(const JobsOfInputs& inputs, const InputJob& job);

}  // namespace trainyard
