#pragma once

#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {

/// What each TrainingJob of a document is compiled to: "compiles to 3 objects, 128 GPUs, fits pool
/// a3-mega". None for a job with an error. `CodeLens[]`.
Json job_lenses(Workspace& workspace, const OpenDocument& document);

}  // namespace trainyard
