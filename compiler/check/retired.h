#pragma once

#include <string_view>

namespace trainyard {

// Names of checks of earlier releases. A configuration that has one stays valid.

/// Why the check is gone, the end of a sentence; "" for a name that was never that of a check.
std::string_view why_retired(std::string_view name);

/// The check that has taken the other one in: `mpi-launcher` for `mpi-templates`. The name itself
/// for any other.
std::string_view current_name(std::string_view name);

}  // namespace trainyard
