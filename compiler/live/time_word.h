#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cluster/http/clock.h"

namespace trainyard {

/// `500ms`, `30s`, `15m`, `2h`, `1h30m`, or seconds without a unit; nothing for anything else.
std::optional<Milliseconds> read_duration(std::string_view word);
ExitCode wrong_duration(Io& io, std::string_view option, std::string_view word);

}  // namespace trainyard
