#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace trainyard {

/// Begins a reference to the matrix, `${{ matrix.NAME }}`.
inline constexpr std::string_view kMatrixOpen = "${{";
inline constexpr std::string_view kMatrixPrefix = "matrix.";

/// A `${{ ... }}` in a text, or a `$${{`, which stands for `${{`.
struct MatrixHole {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view inside;
  bool escape = false;
  bool closed = true;

  bool is_reference() const { return inside.starts_with(kMatrixPrefix); }
  std::string_view name() const { return inside.substr(kMatrixPrefix.size()); }
};

/// The next one from a place on.
std::optional<MatrixHole> next_hole(std::string_view text, std::size_t from);

/// Calls `found` for each `${{ ... }}` of a text that is not escaped.
template <class Found>
void each_hole(std::string_view text, Found found) {
  for (auto hole = next_hole(text, 0); hole; hole = next_hole(text, hole->end)) {
    if (!hole->escape) found(*hole);
  }
}

}  // namespace trainyard
