#pragma once

#include <functional>

#include "driver/session/session.h"

namespace trainyard {

/// Hands each TrainingJob that a document stands for to `use`: itself as a rule; put together with
/// what it extends and with the overlays of the run; one for each combination of its matrix. They
/// are made one after the other, so a sweep needs the memory of one job. `use` may take the
/// document away. What is wrong is in the session's sink, and then there are no jobs.
void for_each_variant(Session& session, Document& document,
                      const std::function<void(Document&)>& use);

}  // namespace trainyard
