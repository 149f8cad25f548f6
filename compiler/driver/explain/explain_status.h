#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"
#include "effective/status.h"

namespace trainyard {

struct ExplainStatusRequest {
  std::vector<std::string>
      inputs;        // files, directories, `-`: objects as `kubectl get -o yaml` prints them
  std::string name;  // of the job; "" for all
};

/// A job of the input, and what its status says.
struct ExplainedStatus {
  std::string job;          // `PyTorchJob/train`
  JobState state;           // by its pods, too, where the input has them
  std::string cause;        // what `diagnose` says first, with the pod; "" for nothing
  std::string_view source;  // of the meaning of its conditions
};

/// The phase of every job of the input, of any kind whose status is known, in the order of the
/// input. Empty, with an error in the session's sink, when there is none.
std::vector<ExplainedStatus> explain_status(Session& session, const ExplainStatusRequest& request);

/// The same for people.
std::string text_of(const ExplainedStatus& status);

}  // namespace trainyard
