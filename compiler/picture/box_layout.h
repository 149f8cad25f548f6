#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "picture/picture.h"

namespace trainyard {

/// Where a box stands, in pixels from the upper left corner.
struct Rect {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t right() const { return x + width; }
  std::int64_t bottom() const { return y + height; }
};

/// Distances in pixels, for monospaced letters of 12 pixels.
struct Metrics {
  std::int64_t padding = 10;
  std::int64_t title = 20;  // height of a title
  std::int64_t line = 17;
  std::int64_t gap = 14;  // between boxes
};

/// The width of a line of text, bold or not.
std::int64_t line_width(std::string_view text, bool is_title);

/// Where all boxes of a picture stand: three columns, and in a box those inside in rows.
class BoxLayout {
 public:
  explicit BoxLayout(const Picture& picture);

  const Rect& of(const Box& box) const { return places_.at(&box); }
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  /// Below the title and lines of the picture itself.
  static std::int64_t top_of(const Picture& picture);

 private:
  /// Makes room at the upper left corner.
  Rect place(const Box& box, std::int64_t x, std::int64_t y);
  void place_columns(const Picture& picture);

  std::map<const Box*, Rect> places_;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
};

}  // namespace trainyard
