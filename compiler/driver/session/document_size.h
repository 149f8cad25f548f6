#pragma once

#include "driver/session/session.h"

namespace trainyard {

/// Whether a document is small enough for one job; otherwise that is reported. What works on larger
/// ones must not search lists one by one.
bool has_sensible_size(Session& session, const Tree& document);
/// Whether one object of a document, which may hold many, has a size that conversion takes.
bool has_sensible_size(Session& session, View object);

}  // namespace trainyard
