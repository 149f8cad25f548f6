#pragma once

#include <deque>
#include <string>
#include <vector>

#include "live/jobs/live_jobs.h"

namespace trainyard {

/// What containers wrote last.
struct LastWords {
  /// In the form of `kubectl logs --prefix --timestamps`, a text for each container.
  std::deque<std::string> said;
  std::vector<std::string> problems;  // logs that are missing or not whole, and why
};

struct LastWordsLimits {
  std::size_t bytes = 1024 * 1024;  // of a container
  Milliseconds time{20'000};        // of all: the node of a pod may be lost
};

/// The last lines of the containers that have failed, the first failures first, or, where none has,
/// of those that run: a job that hangs says why in its log.
LastWords last_words(Transport& transport, const std::string& name_space,
                     const std::vector<View>& pods, LastWordsLimits limits = {});

}  // namespace trainyard
