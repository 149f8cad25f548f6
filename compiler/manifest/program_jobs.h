#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A batch/v1 Job that runs one of the programs of a job, as `templates/job/job.yaml` writes it.
struct ProgramJob {
  std::string_view job;   // the name of the whole job
  std::string_view role;  // as the spec calls the program
};

/// Nothing for any other object.
std::optional<ProgramJob> program_of(View object);

/// The Jobs of all programs of the job that `object` runs one of, in the order of `objects`. Empty
/// if it is of no such job.
std::vector<View> jobs_of_programs(std::span<const View> objects, View object);

}  // namespace trainyard
