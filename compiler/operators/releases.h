#pragma once

#include <string_view>

#include "plan/release.h"

namespace trainyard {

/// The release of an operator's code in which what holds for `span` was read, "1.15.1". Empty where
/// it is known from documents, schemas or single files alone.
std::string_view release_read(const OperatorSpan& span);

}  // namespace trainyard
