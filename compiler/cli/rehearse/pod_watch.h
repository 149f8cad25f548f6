#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/rehearse/pod_sockets.h"
#include "driver/rehearse/rehearsal.h"

namespace trainyard {

/// What was seen of a pod's connections.
struct SeenPod {
  bool has_met = false;            // a connection to or from the place where ranks meet
  std::vector<PodSocket> sockets;  // those of the last look
  std::set<std::string> unknown;   // names that it asked for and nothing has
};

/// Notes which pods are, or were, connected to their meeting.
void note_meetings(const Rehearsal& rehearsal, std::vector<SeenPod>& seen);

/// Whether a pod meets others at a pod that is not itself, and was not seen there.
bool is_missing(const Rehearsal& rehearsal, std::size_t pod, const SeenPod& seen);

/// Whether all pods listen for which a pod waits before it starts.
bool is_awaited_ready(const Rehearsal& rehearsal, std::size_t pod,
                      const std::vector<SeenPod>& seen);

/// What a pod waits for, a line for each place and name: `train-0.train, port 29500: nothing
/// listens there`.
std::vector<std::string> waits_of(const Rehearsal& rehearsal, std::size_t pod,
                                  const std::vector<SeenPod>& seen);

}  // namespace trainyard
