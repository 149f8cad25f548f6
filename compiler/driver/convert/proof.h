#pragma once

#include <string_view>

#include "convert/convert.h"
#include "driver/build/compile.h"
#include "driver/convert/spec_trial.h"
#include "driver/session/session.h"
#include "manifest/inventory.h"

namespace trainyard {

/// In the build, the name of each Secret that the user has yet to name.
inline constexpr std::string_view kNamedSecret = "secret-to-name";

/// A job of the input, the spec that was made of it, and what a build made of that for the same
/// kind, release and Cluster.
struct Proof {
  View object;
  const Inventory& given;  // of the input, for the runtime of a TrainJob
  const Versions& versions;
  const ConvertedJob& converted;  // what is reported already
  Compilation& built;
  const SourceMap& templates;  // texts that the build read
  std::span<const ValueToFill> to_fill = {};
};

/// Reports to the sink of `session` what the pods and the job of the input lose, gain or change by
/// the build: one line for each cause, at its place in the input.
void prove(Session& session, const Proof& proof);

}  // namespace trainyard
