#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"

namespace trainyard::volcano {

/// What makes Jobs of Volcano.
inline constexpr std::string_view kKinds =
    "batch.volcano.sh Job CronJob; flow.volcano.sh JobTemplate";

inline constexpr OperatorSpan kVolcano{.name = "volcano"};

/// The spec of the Job that an object is, or will make.
View job_spec(View object);

/// A task of a Job: pods that are alike.
struct Task {
  View node;
  std::string name;  // the one that the mutating webhook gives where there is none
};

/// The tasks of the Job that an object is, or will make.
std::vector<Task> tasks_of(View object);

}  // namespace trainyard::volcano
