#include "editor/message_values.h"

#include <algorithm>
#include <limits>

namespace trainyard {

const Json& member(const Json& object, std::string_view key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(std::string(key));
  return found == object.end() ? none : *found;
}

std::string text_at(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t number_at(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

EditorPosition read_position(const Json& value) {
  const auto bounded = [&](std::string_view key) {
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number_at(value, key), 0, kMost));
  };
  return {bounded("line"), bounded("character")};
}

std::string document_uri(const Json& params) {
  return text_at(member(params, "textDocument"), "uri");
}

Json to_json(EditorPosition at) {
  return {{"line", at.line}, {"character", at.character}};
}

Json range_json(const LineIndex& lines, std::string_view text, std::size_t begin, std::size_t end,
                PositionUnit unit) {
  return {{"start", to_json(lines.position(text, begin, unit))},
          {"end", to_json(lines.position(text, end, unit))}};
}

}  // namespace trainyard
