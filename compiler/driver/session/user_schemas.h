#pragma once

#include <string>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// Reads every CRD and compact schema below these directories into a pack of the session, which is
/// asked before the pack in the program. What cannot be read is an error in the session's sink, and
/// nothing is added then.
void load_user_schemas(Session& session, const std::vector<std::string>& directories);

/// Makes schemas of the session of the CustomResourceDefinitions among these inputs, which are
/// asked before all others: `crds/` and the objects of its kinds are checked together. One that
/// cannot be used is an error in the session's sink; the others count.
void load_input_schemas(Session& session, const std::vector<InputPart>& inputs);

}  // namespace trainyard
