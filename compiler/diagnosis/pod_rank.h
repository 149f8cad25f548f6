#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kind/job_kind.h"
#include "tree/tree.h"

namespace trainyard {

/// Which of its job a pod is.
struct PodRank {
  std::string_view role;              // "" where the job has none
  std::optional<std::int64_t> index;  // within the role
};

/// By the labels and annotations of the kind of the job, then by those of any kind: a job of one
/// kind may make one of another.
PodRank rank_of(View pod, const JobKind& kind, const JobKinds& kinds);

}  // namespace trainyard
