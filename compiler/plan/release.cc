#include "plan/release.h"

#include <array>

#include "source/number_text.h"

namespace trainyard {

std::optional<Release> release(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<int, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const auto number = take_number<int>(text);
    if (!number) break;
    parts[count++] = *number;
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  if (count == 0) return std::nullopt;
  return Release{parts[0], parts[1], parts[2]};
}

bool OperatorSpan::holds(const std::optional<Release>& release_of_operator) const {
  if (!release_of_operator) return before.empty();
  const auto first = release(since);
  const auto end = release(before);
  return (!first || *release_of_operator >= *first) && (!end || *release_of_operator < *end);
}

std::string OperatorSpan::phrase() const {
  std::string out(name);
  if (since.empty() && before.empty()) return out + ", any release";
  if (before.empty()) return out + " " + std::string(since) + " and later";
  if (since.empty()) return out + " before " + std::string(before);
  return out + " from " + std::string(since) + ", before " + std::string(before);
}

}  // namespace trainyard
