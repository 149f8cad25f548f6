#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/session/session.h"
#include "spec/located.h"

namespace trainyard {

struct RetireRequest {
  std::string fleet = "fleet.yaml";   // path of the Fleet document
  std::string cluster;                // that the dumps are of; "" for the only one of the tree
  std::vector<std::string> live;      // paths of what `kubectl get -o yaml` printed
  bool failed = false;                // jobs that have failed end, too
  std::optional<Seconds> older_than;  // jobs that ended a shorter time ago stay; nothing for none
  std::string now;                    // RFC 3339; "" for the newest time in the dumps
  std::string to = "specs-done";      // folder below that of the fleet
  bool write = false;                 // move the specs
  std::string target;                 // overrides that of the specs; "" for none
  unsigned workers = 1;               // threads; 0 for as many as there are cores
};

/// A spec that moves, with paths from where the program was called.
struct RetiredSpec {
  std::string from;
  std::string to;
  std::string jobs;  // what has ended: `Job/llama has succeeded`
};

struct RetireResult {
  std::vector<RetiredSpec> specs;  // by path
  std::vector<std::string> told;   // a line for each spec that stays although a job of it has ended
  std::string counted_from;        // what `older_than` counts from; "" if nothing asked for it
};

/// Finds the specs of a fleet all of whose jobs have ended, by the table of kinds that `explain
/// status` prints, and moves them out of the fleet. The tree must be up to date: a spec that was
/// edited may not have run yet. A spec that another cluster has as well stays, and so does a step
/// of a chain. All moves are made, or none with errors in the session's sink.
RetireResult retire(Session& session, const RetireRequest& request);

}  // namespace trainyard
