#pragma once

#include "source/origin.h"
#include "source/span.h"

namespace trainyard {

/// The text that an origin leads back to: the user's before the template's.
Span text_place(const Origins& origins, OriginId id);

}  // namespace trainyard
