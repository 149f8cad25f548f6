#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::cel {

/// A double in as few digits as identify it: `1.5`, `1e+06`, `NaN`, `+Inf`.
std::string double_text(double number);
/// With so many digits behind the point, as `%f` and `%e`.
std::string fixed_text(double number, int precision);
std::string scientific_text(double number, int precision);
/// A number as Go reads it, `Inf` and `NaN` among them.
std::optional<double> parse_double(std::string_view text);

}  // namespace trainyard::cel
