#pragma once

#include <cstdint>

namespace trainyard {

/// The number of the object that checks look at on this thread: another one for each call of
/// CheckContext::start. While it stays, no tree changes, and what was found out holds.
std::uint64_t object_number();

}  // namespace trainyard
