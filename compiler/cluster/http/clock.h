#pragma once

#include <chrono>

namespace trainyard {

// The client waits, retries and gives up by this clock; nothing that is compiled depends on it.
using Clock = std::chrono::steady_clock;
using ClockTime = Clock::time_point;
using Milliseconds = std::chrono::milliseconds;

}  // namespace trainyard
