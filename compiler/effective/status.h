#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// How far a job has come.
enum class JobPhase {
  Pending,     // its pods are not all there, or wait
  Suspended,   // it is held back, or has been stopped to be started again
  Running,     // its pods do their work
  Restarting,  // after a failure it is started again
  Ending,      // it has done enough, and its last pods are stopped
  Succeeded,   // it ended well, and nothing more happens
  Failing,     // it has failed, and its last pods are stopped
  Failed,      // it ended badly, or was ended, and nothing more happens
};
std::string_view name_of(JobPhase phase);
bool is_final(JobPhase phase);

/// Something in the status of a job that tells its phase. The first sign of a kind that holds
/// counts, in the order of the table and not in that of the object, where older conditions come
/// first.
struct StatusSign {
  JobPhase phase;
  /// `conditions.Failed` is the condition of this type; else a path, with `[]` for all items of a
  /// list.
  std::string_view path;
  std::string_view value =
      "True";  // of the condition's status or of the field; `>0` for a sum of numbers
  std::string_view reason = {};  // only with this `reason`; any when empty
};

/// What the status of one kind of job says, and when.
struct StatusKind {
  std::string_view group;
  std::string_view kind;
  std::string_view source;  // `owner/repo path`
  std::span<const StatusSign> signs;
  std::string_view details = {};  // where `reason` and `message` stand if no condition decides
};

std::span<const StatusKind> status_kinds();
/// Null for a kind whose status is not known.
const StatusKind* find_status_kind(View object);

/// What was read from a status.
struct JobState {
  JobPhase phase = JobPhase::Pending;
  std::string decided_by;  // ``condition `Failed` ``; "" when nothing in the status says anything
  std::string reason;
  std::string message;
  std::string since;
  std::vector<std::string> notes;  // what contradicts it, or is missing
};

JobState judge_status(const StatusKind& kind, View object);

}  // namespace trainyard
