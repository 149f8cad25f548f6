#pragma once

#include <string_view>

namespace trainyard {

/// Why a check of an earlier release is gone, the end of a sentence; "" for a name that was never
/// that of a check. A configuration that names one stays valid.
std::string_view why_retired(std::string_view name);

}  // namespace trainyard
