#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// Decimal text of an integer: `0x10` is "16", `0o17` and `017` are "15", `0b11` is "3", `1_000` is
/// "1000", `+5` is "5". A leading zero means octal, as sigs.k8s.io/yaml takes it. Decimal integers
/// may have any number of digits, others up to 128 bits; nothing when the text is no such integer.
std::optional<std::string> canonical_int(std::string_view text);

/// Text of a float that every reader of YAML 1.1, YAML 1.2 and (but for `.inf`, `-.inf`, `.nan`)
/// JSON takes for a float: digits, a point, digits, and a signed exponent where there is one. The
/// digits are kept, so no precision is lost. Nothing when the text is no float.
std::optional<std::string> canonical_float(std::string_view text);

/// True when `canonical_int` would give the text back as it is; costs one pass and no memory.
bool is_canonical_int(std::string_view text);
/// The same for `canonical_float`.
bool is_canonical_float(std::string_view text);

}  // namespace trainyard
