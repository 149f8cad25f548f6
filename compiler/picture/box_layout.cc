#include "picture/box_layout.h"

#include <algorithm>

namespace trainyard {
namespace {

constexpr Metrics kMetrics;
constexpr std::int64_t kWidestRow = 760;  // of boxes in a box
constexpr std::int64_t kLeastBetweenColumns = 60;
constexpr int kColumns = 3;

std::int64_t header_height(const Box& box) {
  return kMetrics.padding + kMetrics.title +
         kMetrics.line * static_cast<std::int64_t>(box.lines.size());
}

std::int64_t header_width(const std::string& title, const std::vector<std::string>& lines) {
  std::int64_t width = line_width(title, true);
  for (const std::string& each : lines) width = std::max(width, line_width(each, false));
  return width + 2 * kMetrics.padding;
}

/// Room for the longest label.
std::int64_t between_columns(const Picture& picture) {
  std::int64_t between = kLeastBetweenColumns;
  for (const Arrow& each : picture.arrows) {
    between = std::max(between, line_width(each.label, false) + 5 * kMetrics.gap);
  }
  return between;
}

bool has_arrow(const Picture& picture, const Box& from, const Box& to) {
  return !from.id.empty() && !to.id.empty() &&
         std::ranges::any_of(picture.arrows, [&](const Arrow& each) {
           return each.from == from.id && each.to == to.id;
         });
}

}  // namespace

std::int64_t line_width(std::string_view text, bool is_title) {
  const auto columns = static_cast<std::int64_t>(text_width(text));
  return is_title ? columns * 8 : columns * 73 / 10 + 1;
}

std::int64_t BoxLayout::top_of(const Picture& picture) {
  return 2 * kMetrics.padding + kMetrics.title +
         kMetrics.line * static_cast<std::int64_t>(picture.lines.size());
}

BoxLayout::BoxLayout(const Picture& picture) {
  place_columns(picture);
  width_ = std::max(width_, header_width(picture.title, picture.lines)) + kMetrics.padding;
  height_ += kMetrics.padding;
}

/// Boxes of a column are equally wide, so that arrows from one cross none of the others.
void BoxLayout::place_columns(const Picture& picture) {
  const std::int64_t between = between_columns(picture);
  std::int64_t x = kMetrics.padding;
  height_ = top_of(picture);
  for (int column = 0; column < kColumns; ++column) {
    std::int64_t y = top_of(picture);
    std::int64_t right = x;
    std::vector<const Box*> boxes;
    for (const Box& box : picture.boxes) {
      if (box.column != column) continue;
      const Rect rect = place(box, x, y);
      right = std::max(right, rect.right());
      y = rect.bottom() + kMetrics.gap;
      boxes.push_back(&box);
    }
    if (boxes.empty()) continue;
    for (const Box* box : boxes) places_[box].width = right - x;
    const bool turns = std::ranges::any_of(boxes, [&](const Box* from) {
      return std::ranges::any_of(boxes,
                                 [&](const Box* to) { return has_arrow(picture, *from, *to); });
    });
    width_ = std::max(width_, turns ? right + between : right);
    height_ = std::max(height_, y);
    x = right + between;
  }
}

Rect BoxLayout::place(const Box& box, std::int64_t x, std::int64_t y) {
  Rect rect{x, y, header_width(box.title, box.lines), header_height(box) + kMetrics.padding};
  std::int64_t left = x + kMetrics.padding;
  std::int64_t top = y + header_height(box) + kMetrics.padding;
  std::int64_t row_bottom = top;
  for (const Box& each : box.inside) {
    Rect inner = place(each, left, top);
    if (left > x + kMetrics.padding && inner.right() - x > kWidestRow) {
      left = x + kMetrics.padding;
      top = row_bottom + kMetrics.gap;
      inner = place(each, left, top);
    }
    row_bottom = std::max(row_bottom, inner.bottom());
    rect.width = std::max(rect.width, inner.right() + kMetrics.padding - x);
    left = inner.right() + kMetrics.gap;
  }
  if (!box.inside.empty()) rect.height = row_bottom + kMetrics.padding - y;
  return places_[&box] = rect;
}

}  // namespace trainyard
