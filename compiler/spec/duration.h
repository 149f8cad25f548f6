#pragma once

#include <optional>
#include <string_view>

#include "spec/located.h"

namespace trainyard {

/// Reads `90s`, `30m`, `12h`, `7d`, their sums from large to small (`1h30m`), or seconds (`90`).
/// Nothing when the text is something else, or more than 2147483647 seconds: fields of Kubernetes
/// are that wide, and its controllers overflow on more (kubernetes/kubernetes pkg/controller/job).
std::optional<Seconds> parse_duration(std::string_view text);

}  // namespace trainyard
