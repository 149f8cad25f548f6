#pragma once

#include "driver/session/session.h"

namespace trainyard {

/// Whether a document is small enough for one job; otherwise that is reported. What works on larger
/// ones must not search lists one by one.
bool has_sensible_size(Session& session, const Tree& document);
/// The same of one object, of a document that may hold many.
bool has_sensible_size(Session& session, View object);

}  // namespace trainyard
