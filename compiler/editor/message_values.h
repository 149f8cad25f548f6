#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "editor/text_positions.h"

namespace trainyard {

using Json = nlohmann::json;

// How the server reads what a client sends. A value that is missing or of a wrong type counts as
// empty, so that no message can end the server.

/// A member of an object; null for anything else.
const Json& member(const Json& object, std::string_view key);
std::string text_at(const Json& object, std::string_view key);
std::int64_t number_at(const Json& object, std::string_view key);
/// `{"line": 1, "character": 2}`.
EditorPosition read_position(const Json& value);
/// The URI of `textDocument`.
std::string document_uri(const Json& params);

Json to_json(EditorPosition at);
Json range_json(const LineIndex& lines, std::string_view text, std::size_t begin, std::size_t end,
                PositionUnit unit);

}  // namespace trainyard
