#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

struct ValidateRequest {
  std::vector<std::string> inputs;    // files, directories, `-`
  std::string cluster;                // for the specs among them; "" for none
  std::string target;                 // overrides that of the specs; "" for none
  std::vector<std::string> old;       // the objects as they are now: a change to each is checked
  std::string kubernetes;             // version that the objects are for; "" for the Cluster's
  bool ignore_unknown_kinds = false;  // else those of files that the user named are errors
  bool refuse_unknown_kinds = false;  // also those that a walk finds
  bool rendered = false;              // a place that another program fills in is a mistake
  bool as_walked = false;             // take files that are named as those that a walk finds
  unsigned workers = 1;               // threads; 0 for as many as there are cores
};

struct ValidateResult {
  std::size_t documents = 0;
  std::size_t ignored = 0;  // objects of unknown kinds that were passed over: not in `documents`
};

/// Checks whatever the inputs hold: a TrainingJob is compiled and its objects are checked, a
/// Cluster and any Kubernetes object are checked against their schemas, and objects for what the
/// API server wants beyond these. A CustomResourceDefinition among them is the schema of its kinds.
/// Writes nothing. `request.kubernetes` has the form of a version.
ValidateResult validate(Session& session, const ValidateRequest& request);

}  // namespace trainyard
