#include "check/slips.h"

#include <algorithm>
#include <string>

namespace trainyard {
namespace {

std::string folded(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '-' || c == '_') continue;
    result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

}  // namespace

bool is_slip_of(std::string_view word, std::string_view known) {
  if (word == known) return false;
  if (folded(word) == folded(known)) return true;
  const auto [a, b] = std::ranges::mismatch(word, known);
  const std::string_view rest(a, word.end());
  const std::string_view other(b, known.end());
  const auto same = [](std::string_view x, std::string_view y) { return x == y; };
  if (rest.size() == other.size() + 1) return same(rest.substr(1), other);
  if (rest.size() + 1 == other.size()) return same(rest, other.substr(1));
  if (rest.size() != other.size()) return false;
  const bool swapped = rest.size() > 1 && rest[0] == other[1] && rest[1] == other[0];
  return same(rest.substr(1), other.substr(1)) ||
         (swapped && same(rest.substr(2), other.substr(2)));
}

}  // namespace trainyard
