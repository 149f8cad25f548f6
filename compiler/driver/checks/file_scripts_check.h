#pragma once

#include <string>
#include <vector>

#include "check/check_context.h"
#include "driver/session/session.h"

namespace trainyard {

/// Asks lints of an object as if the scripts that its containers take from ConfigMaps among the
/// inputs stood in them. What is wrong is reported at the line of the ConfigMap or of the object
/// that is meant. `name` is that of an object that others make: `JobSet/train`.
void ask_with_scripts(View object, const std::string& name, const CheckInputs& surroundings,
                      Sink& sink);
/// The same for one that we made: at what caused its values.
void ask_with_scripts(View object, const std::string& name, const CheckInputs& surroundings,
                      const Origins& origins, Documents documents, Sink& sink);

/// The same for objects that users wrote, unless something has been reported at a place already.
void check_file_scripts(Session& session, const std::vector<View>& objects,
                        const CheckInputs& surroundings);

}  // namespace trainyard
