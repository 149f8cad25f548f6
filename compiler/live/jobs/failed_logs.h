#pragma once

#include <deque>
#include <string>
#include <vector>

#include "live/jobs/live_jobs.h"

namespace trainyard {

/// The last lines of the containers that have failed, the first failures first, or, where none has,
/// of those that run: a job that hangs says why in its log. In the form of `kubectl logs --prefix
/// --timestamps`, a text for each container. A log that cannot be read is left out.
std::deque<std::string> last_words(Transport& transport, const std::string& name_space,
                                   const std::vector<View>& pods);

}  // namespace trainyard
