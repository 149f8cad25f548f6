#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard {

// What labels, annotations and arguments hold, as programs written in Go read it. Nothing when they
// would refuse it.

/// strconv.Atoi: digits behind a sign or none.
std::optional<std::int64_t> go_integer(std::string_view text);
/// strconv.ParseBool: `1`, `t`, `T`, `true`, `True`, `TRUE` and their opposites.
std::optional<bool> go_bool(std::string_view text);
/// strconv.ParseFloat of a finite decimal number.
std::optional<double> go_number(std::string_view text);
/// time.ParseDuration, in seconds: `1h30m`, `1.5s`, `0`.
std::optional<double> go_duration(std::string_view text);

}  // namespace trainyard
