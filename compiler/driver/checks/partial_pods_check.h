#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "check/check_context.h"
#include "driver/session/session.h"

namespace trainyard {

/// Whether an object has parts that come to pods and stand in no place that the checks of pods know
/// by themselves: what it states of its pods outside of a template, templates in kinds of users'
/// own CustomResourceDefinitions, and whole objects inside those.
bool has_parts(View object, Session& session);

/// Says no where the first words of a document are enough to tell that no object of it has any.
bool may_have_parts(std::string_view api_version, std::string_view kind, const Session& session);

/// Checks such parts of these objects, when all inputs are known. It reports nothing at a place
/// where something has been said already, from the diagnostic `first` on.
void check_parts(Session& session, const std::vector<View>& objects,
                 const CheckInputs& surroundings, std::size_t first);

}  // namespace trainyard
