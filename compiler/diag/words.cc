#include "diag/words.h"

#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

constexpr std::size_t kLongestShown = 60;  // bytes of a value in a message
constexpr std::size_t kMostListed = 12;

}  // namespace

std::string_view cut_for_message(std::string_view text) {
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string shown(std::string_view text) {
  const std::string_view kept = cut_for_message(text);
  std::string result = "`";
  for (char c : kept) {
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  if (kept.size() < text.size()) result += "...";
  return result + "`";
}

std::string listed(std::span<const std::string> names, std::string_view conjunction) {
  std::string result;
  const std::size_t count = names.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i == kMostListed && count > kMostListed + 1) {
      return result + " and " + std::to_string(count - i) + " more";
    }
    if (i > 0) result += i + 1 == count ? " " + std::string(conjunction) + " " : ", ";
    result += shown(names[i]);
  }
  return result;
}

std::string counted(std::uint32_t count, std::string_view thing) {
  std::string result = std::to_string(count) + " ";
  if (count == 1) return result.append(thing);
  if (thing.ends_with('y')) return result.append(thing.substr(0, thing.size() - 1)).append("ies");
  return result.append(thing).append("s");
}

std::string number_text(double value) {
  char text[40];
  // Limits are nearly always whole; `2147483647` reads better than `2.147483647e+09`.
  const bool whole = value > -1e15 && value < 1e15 &&
                     value == static_cast<double>(static_cast<std::int64_t>(value));
  const auto end = whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value))
                         : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string quoted(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string plain_json(std::string_view json_text) {
  const auto value = nlohmann::json::parse(json_text, nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string(json_text);
}

}  // namespace trainyard
