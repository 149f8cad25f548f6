#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/cluster_dump.h"
#include "diagnosis/pod_status.h"
#include "effective/status.h"

namespace trainyard {

/// What holds a job for a queue.
struct QueueStatus {
  View object;                     // a Workload or a PodGroup
  std::string_view name;           // of the queue
  std::string_view cluster_queue;  // of Kueue, once it is admitted
  JobState state;
  std::string_view message;               // what is missing, in the queue's own words
  std::optional<std::int64_t> position;   // from 1 on
  std::string_view admitted;              // when; RFC 3339, "" where it is not
  std::vector<std::string_view> flavors;  // of Kueue, each once
};

/// The same event of one or more objects.
struct EventStatus {
  std::string_view type;  // `Normal`, `Warning`
  std::string_view reason;
  std::string_view message;
  std::string_view time;  // the last; RFC 3339
  std::string about;      // the first object, `Pod/train-0`
  std::size_t objects = 1;
  std::int64_t count = 0;
};

/// How far a job is, and all that belongs to it.
struct JobStatus {
  View job;
  const JobKind* kind = nullptr;
  JobState state;
  std::string since;       // of its phase; RFC 3339, "" where that is not known
  std::size_t wanted = 0;  // pods, as far as that is known
  std::size_t running = 0;
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::int64_t restarts = 0;    // of containers, and of the job where its status counts them
  std::vector<PodStatus> pods;  // by role, index and name
  std::vector<QueueStatus> queues;
  std::vector<EventStatus> events;  // the newest first
};

/// What a dump says of one of its jobs. Costs in proportion to what belongs to the job; the texts
/// point into the dump.
JobStatus job_status(const ClusterDump& dump, View job, const JobKind& kind);

}  // namespace trainyard
