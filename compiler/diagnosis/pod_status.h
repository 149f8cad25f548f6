#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/pod_rank.h"

namespace trainyard {

/// A container of a pod, init containers among them.
struct ContainerStatus {
  std::string_view name;
  bool is_init = false;
  std::string_view state;  // `running`, `waiting`, `terminated`; "" if unknown
  std::string_view reason;
  std::string_view message;
  std::optional<std::int64_t> exit_code;  // of this run, else of the one before
  std::int64_t restarts = 0;
  std::string_view since;  // RFC 3339
};

struct PodStatus {
  View pod;
  std::string_view name;
  std::string_view node;
  PodRank rank;
  std::string state;       // as kubectl's column STATUS: `Running`, `Init:0/1`, `OOMKilled`
  bool runs = false;       // all its containers do
  bool succeeded = false;  // it ended well
  bool failed = false;
  std::int64_t restarts = 0;  // of all its containers
  std::string_view since;     // of its state; RFC 3339
  std::vector<ContainerStatus> containers;
};

/// What the status of a pod says; its texts point into the pod.
PodStatus pod_status(View pod, const JobKind& kind, const JobKinds& kinds);

}  // namespace trainyard
