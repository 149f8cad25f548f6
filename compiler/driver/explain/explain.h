#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct ExplainRequest {
  std::vector<std::string> topic;  // `spec.network`; `rule` and `rendezvous`; empty for an overview
  std::string kind;                // whose fields; "" for those of a TrainingJob
};

/// A text for people, or why there is none.
struct Explanation {
  std::string text;
  std::string topics;  // the same for programs: JSON objects with commas between
  std::string error;
  bool call_wrong = false;  // it is not the name that is wrong
};

/// Explains a field of any kind that has a schema, a rule, a target, a machine, a fabric or a kind
/// of diagnostic. A name that means several of them is explained as each.
Explanation explain_topic(Session& session, const ExplainRequest& request);

}  // namespace trainyard
