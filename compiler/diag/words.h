#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trainyard {

// How messages put things.

/// The beginning of a text that is too long for a message.
std::string_view cut_for_message(std::string_view text);
/// A text in backticks, cut when it is long.
[[gnu::cold]] std::string shown(std::string_view text);
/// "`a`", "`a` and `b`", "`a`, `b` or `c`"; after twelve "and 30 more".
std::string listed(std::span<const std::string> names, std::string_view conjunction);
/// "1 item", "2 items".
std::string counted(std::uint32_t count, std::string_view thing);
/// The shortest decimal form.
std::string number_text(double value);
/// A double-quoted YAML (and JSON) string.
std::string quoted(std::string_view text);
/// A JSON value of a schema as a user would write it in YAML: strings without quotes.
std::string plain_json(std::string_view json);

}  // namespace trainyard
