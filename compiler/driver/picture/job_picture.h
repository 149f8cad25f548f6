#pragma once

#include <optional>

#include "driver/explain/jobs_of_inputs.h"
#include "picture/picture.h"

namespace trainyard {

/// A job with its roles, pods and ranks, how ranks find each other, its queue, and its volumes with
/// what fills them. Pods that only count on are folded. Nothing, with an error in the session's
/// sink, where no controller would make the pods.
std::optional<Picture> job_picture(Session& session, const JobsOfInputs& inputs,
                                   const InputJob& job);

}  // namespace trainyard
