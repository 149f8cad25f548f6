#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"

namespace trainyard {

/// "2 errors and 1 warning"; empty when there is neither. Notes are not counted.
std::string summary(std::span<const Diagnostic> diagnostics);

/// What a kind means, for `trainyard explain`: a heading with its severity, then its sentence.
std::string explain(const KindInfo& kind);

}  // namespace trainyard
