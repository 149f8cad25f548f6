#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

// How the messages of this folder put things.

/// A text in backticks, cut when it is long.
[[gnu::cold]] std::string shown(std::string_view text);
/// A scalar as it stands in YAML, in backticks (a string with its quotes); "a map", "a list".
[[gnu::cold]] std::string shown(const Node& node);
/// What a value is: "the string `\"8\"`", "a map".
std::string described(const Node& node);
/// "`a`", "`a` and `b`", "`a`, `b` or `c`"; after twelve "and 30 more".
std::string listed(std::span<const std::string> names, std::string_view conjunction);
/// "an integer", "a string or an integer".
std::string wanted_types(const SchemaNode& schema);
/// "1 item", "2 items".
std::string counted(std::uint32_t count, std::string_view thing);
/// The shortest decimal form.
std::string number_text(double value);
/// A double-quoted YAML (and JSON) string.
std::string quoted(std::string_view text);
/// A JSON value of the schema as a user would write it in YAML: strings without quotes.
std::string plain_json(std::string_view json);

}  // namespace trainyard
