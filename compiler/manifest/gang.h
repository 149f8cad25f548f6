#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "manifest/workload.h"
#include "tree/tree.h"

namespace trainyard {

// What starts the pods of a workload together: a queue that admits it as a whole, or a scheduler
// that knows its pods as a group.

/// Whether labels or annotations put what they stand on into a group, or into a queue that admits
/// all of it at once.
bool has_gang_label(View metadata);

/// Whether anything in a value, however deep, may change who schedules the pods.
bool may_have_gang_label(View value);

/// Whether any pods of a workload are started as a group, as far as the object says it.
bool has_gang(const Workload& workload);

/// What has no part in the gang of a workload.
struct PodsOutsideGang {
  bool any = false;
  const WorkloadRole* role = nullptr;  // where only its pods are left out; null for all
};

/// Which pods with GPUs nothing starts together with the others, as far as the object says it. What
/// an operator may add counts for what is there.
PodsOutsideGang gang_gap(const Workload& workload);

/// An annotation of a Job that says how many of its pods a scheduler takes for a gang.
struct GangMinimum {
  View at;
  std::optional<std::int64_t> number;  // nothing for what is no size of a gang
};

/// The annotation that counts for the Job, or the Jobs, of a role: that of the scheduler of its
/// pods.
GangMinimum gang_minimum(const Workload& workload, const WorkloadRole& role);

}  // namespace trainyard
