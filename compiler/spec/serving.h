#pragma once

#include "spec/training_job.h"

namespace trainyard {

/// The job whose pods are those of the service that `spec.serve` asks for: one pod for each copy,
/// with the image, the GPUs and the nodes that it states. What the training alone has is not
/// in it. Views into the same tree.
TrainingJob serving_job(const TrainingJob& training);

}  // namespace trainyard
