#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kind/job_kind.h"
#include "tree/tree.h"

namespace trainyard {

/// What was read from a status.
struct JobState {
  JobPhase phase = JobPhase::Pending;
  std::string decided_by;  // ``condition `Failed` ``, or what is missing to run; "" without a sign
  std::string reason;
  std::string message;
  std::string since;               // as the status writes it; of a job that has ended, when it did
  std::vector<std::string> notes;  // what contradicts it, or is missing
};

/// The condition of this type in a status; empty when there is none.
View condition_of(View status, std::string_view type);

/// How many pods, or what the kind counts, a job wants; nothing when nothing says it.
std::optional<std::int64_t> wanted_by(const JobKind& kind, View object);

JobState judge_status(const JobKind& kind, View object);

}  // namespace trainyard
