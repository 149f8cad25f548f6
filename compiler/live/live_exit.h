#pragma once

#include <string_view>
#include <vector>

#include "cli/help.h"
#include "cluster/api/api_error.h"
#include "driver/session/env.h"

namespace trainyard {

/// Exit codes of `trainyard-cluster` beside those of every command (ExitCode) and those of commands
/// about one job (read_dump.h). ExitCode has no names for them: nothing offline ends with one.
inline constexpr ExitCode kNotReached = ExitCode::WorldFailed;   // 4: or refused, or lost
inline constexpr ExitCode kTimedOut = static_cast<ExitCode>(7);  // of --timeout
inline constexpr ExitCode kNotDone = static_cast<ExitCode>(8);  // a conflict, or a refused question
inline constexpr ExitCode kNoRoom = static_cast<ExitCode>(9);   // a quota of the namespace is full
inline constexpr ExitCode kInterrupted = static_cast<ExitCode>(130);  // Ctrl-C

/// What they mean, for the manual.
std::vector<ExitCodeText> live_exit_texts();

/// The server, or a webhook that it asks, cannot answer now. A 500 without a reason is its word for
/// an object that it cannot read.
inline bool is_unavailable(const ApiError& error) {
  return error.status == 429 || error.status > 500 ||
         (error.status == 500 && !error.reason.empty());
}

/// The exit code for a request that failed.
ExitCode exit_code_of(const ApiError& error);

/// What to do about it; "" where the error says so itself.
std::string_view help_for(const ApiError& error);

}  // namespace trainyard
