#pragma once

#include <deque>
#include <string>
#include <vector>

#include "diagnosis/diagnose.h"
#include "live/jobs/live_jobs.h"

namespace trainyard {

/// What the containers of a job said last.
struct LastWords {
  std::deque<std::string> texts;  // each begins with its time
  std::vector<LogLine> lines;     // of all, in the order of the containers
};

/// The last lines of the containers that have failed, the first failures first, or, where none has,
/// of those that run: a job that hangs says why in its log. A log that cannot be read is left out.
LastWords last_words(Transport& transport, const std::string& name_space,
                     const std::vector<View>& pods);

}  // namespace trainyard
