#include "spec/matrix_holes.h"

namespace trainyard {
namespace {

constexpr std::string_view kClose = "}}";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<MatrixHole> next_hole(std::string_view text, std::size_t from) {
  const std::size_t open = text.find(kMatrixOpen, from);
  if (open == std::string_view::npos) return std::nullopt;
  MatrixHole hole;
  hole.begin = open;
  hole.end = open + kMatrixOpen.size();
  if (open > from && text[open - 1] == '$') {
    hole.begin = open - 1;
    hole.escape = true;
    return hole;
  }
  const std::size_t close = text.find(kClose, hole.end);
  hole.closed = close != std::string_view::npos;
  hole.inside = trimmed(text.substr(hole.end, hole.closed ? close - hole.end : text.npos));
  hole.end = hole.closed ? close + kClose.size() : text.size();
  return hole;
}

}  // namespace trainyard
