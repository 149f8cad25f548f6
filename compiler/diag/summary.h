#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"

namespace trainyard {

/// "2 errors and 1 warning"; empty when there is neither. Notes are not counted.
std::string summary(std::span<const Diagnostic> diagnostics);

}  // namespace trainyard
