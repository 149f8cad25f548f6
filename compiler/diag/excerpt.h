#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainyard {

/// The part of a line that is shown.
struct Window {
  std::size_t begin;  // bytes of the line
  std::size_t end;

  friend bool operator==(const Window&, const Window&) = default;
};

/// The whole line when it fits into 100 columns, otherwise as much around the byte `focus`.
/// Takes time by what is shown, not by the length of the line.
Window window_around(std::string_view line, std::size_t focus);

/// The line as seen through the window, with `…` where it was cut.
std::string seen(std::string_view line, Window window);

/// Columns to mark below what `seen` returns.
struct Underline {
  std::size_t indent;
  std::size_t length;  // at least 1
  bool cut;            // the marked text goes on behind the window
};

/// For the bytes [begin, end) of the line, where `begin` is within the window.
Underline underline(std::string_view line, Window window, std::size_t begin, std::size_t end);

}  // namespace trainyard
