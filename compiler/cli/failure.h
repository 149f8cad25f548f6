#pragma once

#include <exception>
#include <string_view>

#include "driver/session/env.h"

namespace trainyard {

/// Says why an exception ended the run, and who can do something about it: the user where memory or
/// the system failed, we where anything else did. Passes lines to `say`.
ExitCode tell_failure(const std::exception_ptr& failure, void (*say)(std::string_view text));

}  // namespace trainyard
