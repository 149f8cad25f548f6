#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "live/apply/make_plan.h"

namespace trainyard {

/// How far the writes have come.
struct Written {
  std::optional<ApiError> error;  // the first that ended them
  std::string at;                 // the object of that error
  std::vector<std::string> left;  // objects that were to change and that have no line yet
  bool timed_out = false;         // an object that goes is still there
};

struct WriteOptions {
  bool force = false;
  bool prune = true;           // else what is no longer asked for stays in the record
  Milliseconds gone{300'000};  // how long to wait for an object that goes
};

/// Carries a plan out: first the record of all that is or was there, then the objects in order,
/// then what goes, at last the record of what is there. After an end in between, the same command
/// finishes the work: every step may be done twice. `tell` gets a line for each object.
Written write_plan(Transport& transport, const std::vector<WantedSet>& sets, const MadePlan& made,
                   const WriteOptions& options,
                   const std::function<void(const std::string& line)>& tell);

}  // namespace trainyard
