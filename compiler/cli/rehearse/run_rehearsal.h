#pragma once

#include <cstdint>
#include <string>

#include "driver/rehearse/rehearsal.h"
#include "driver/session/env.h"

namespace trainyard {

struct RunRehearsal {
  std::int64_t patience = 120;  // in seconds, until ranks must have met
  bool colour = false;          // of what tells pods apart
  std::string outside = {};     // the program of OutsideNetwork; "" for no network outside
  std::string why_inside = {};  // why there is none, if the user does not want that
};

/// Runs the pods in namespaces of their own, without root, and prints what they write to standard
/// output, each line with its pod. Says on standard error which pod failed, or waits for what.
/// Ends with the pods that decide, a signal, or a pod that fails; then no process is left. Says
/// what differs from the cluster. Good if they all ended with 0 and were seen at the place where
/// they meet.
ExitCode run_rehearsal(const Rehearsal& rehearsal, const RunRehearsal& options);

}  // namespace trainyard
