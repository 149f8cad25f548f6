#include "picture/picture.h"

#include <algorithm>

namespace trainyard {
namespace {

std::string_view title_below(const std::vector<Box>& boxes, std::string_view id) {
  for (const Box& each : boxes) {
    if (each.id == id) return each.title;
    if (const std::string_view inside = title_below(each.inside, id); !inside.empty()) {
      return inside;
    }
  }
  return {};
}

}  // namespace

std::string_view title_of_box(const Picture& picture, std::string_view id) {
  return id.empty() ? std::string_view() : title_below(picture.boxes, id);
}

std::size_t text_width(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

}  // namespace trainyard
