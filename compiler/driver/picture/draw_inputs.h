#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/session/session.h"
#include "picture/picture.h"

namespace trainyard {

struct DrawRequest {
  std::vector<std::string> inputs;  // files, directories, `-`
  std::string cluster;              // path; "" for the one among the inputs, if any
  std::string target;               // overrides that of specs; "" for none
  std::string name;                 // of the job, when there are several; "" for all
};

/// A picture of the one job of the inputs; of several, with a Cluster what they take of it, and
/// else what each queue is asked for. Nothing, with errors in the session's sink, where there is
/// nothing to show.
std::optional<Picture> draw_inputs(Session& session, const DrawRequest& request);

}  // namespace trainyard
