#pragma once

#include <optional>
#include <string_view>

namespace trainyard {

/// Whether a time zone has this name. Capitals count.
bool is_time_zone(std::string_view name);

/// The name that is most like another one; nothing when none is.
std::optional<std::string_view> similar_time_zone(std::string_view name);

}  // namespace trainyard
