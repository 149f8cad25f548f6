#include "diag/excerpt.h"

#include <algorithm>

#include "diag/glyph.h"

namespace trainyard {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kColumnsBehindFocus = 70;

/// What may still be shown. A thousand combining marks take no columns, hence the second count.
struct Budget {
  std::size_t columns;
  std::size_t glyphs = 4 * kColumns;

  bool spend(const Glyph& glyph) {
    if (glyph.width > columns || glyphs == 0) return false;
    columns -= glyph.width;
    --glyphs;
    return true;
  }
};

std::size_t walk_right(std::string_view line, std::size_t at, Budget& budget) {
  while (at < line.size()) {
    const Glyph glyph = glyph_at(line, at);
    if (!budget.spend(glyph)) break;
    at += glyph.bytes;
  }
  return at;
}

std::size_t walk_left(std::string_view line, std::size_t at, Budget& budget) {
  while (at > 0) {
    const std::size_t before = previous_glyph(line, at);
    if (!budget.spend(glyph_at(line, before))) break;
    at = before;
  }
  return at;
}

}  // namespace

Window window_around(std::string_view line, std::size_t focus) {
  Budget whole{kColumns};
  if (walk_right(line, 0, whole) == line.size()) return {0, line.size()};
  const std::size_t middle = glyph_start(line, std::min(focus, line.size()));
  Budget behind{kColumnsBehindFocus, 2 * kColumns};
  std::size_t end = walk_right(line, middle, behind);
  Budget rest{kColumns - (kColumnsBehindFocus - behind.columns)};
  const std::size_t begin = walk_left(line, middle, rest);
  end = walk_right(line, end, rest);
  return {begin, end};
}

std::string seen(std::string_view line, Window window) {
  std::string result = window.begin > 0 ? "…" : "";
  result += printable(line.substr(window.begin, window.end - window.begin));
  if (window.end < line.size()) result += "…";
  return result;
}

Underline underline(std::string_view line, Window window, std::size_t begin, std::size_t end) {
  const std::size_t ellipsis = window.begin > 0 ? 1 : 0;
  const std::size_t from = std::clamp(glyph_start(line, begin), window.begin, window.end);
  const std::size_t to = std::clamp(end, from, window.end);
  const std::size_t length = columns_of(line.substr(from, to - from));
  return {ellipsis + columns_of(line.substr(window.begin, from - window.begin)),
          std::max<std::size_t>(length, 1), end > window.end};
}

}  // namespace trainyard
