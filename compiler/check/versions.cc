#include "check/versions.h"

#include <array>
#include <charconv>

namespace trainyard {

std::optional<Release> release(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<int, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, parts[count]);
    if (error != std::errc() || parts[count] < 0) break;
    ++count;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  if (count == 0) return std::nullopt;
  return Release{parts[0], parts[1], parts[2]};
}

std::string OperatorSpan::phrase() const {
  std::string out(name);
  if (since.empty() && before.empty()) return out;
  if (before.empty()) return out + " " + std::string(since) + " and later";
  if (since.empty()) return out + " before " + std::string(before);
  return out + " from " + std::string(since) + ", before " + std::string(before);
}

void Versions::add(std::string_view name, std::string_view version) {
  if (const auto known = release(version)) operators_.push_back({std::string(name), *known});
}

std::optional<Release> Versions::of(std::string_view name) const {
  for (const Known& each : operators_) {
    if (each.name == name) return each.version;
  }
  return std::nullopt;
}

bool Versions::within(const OperatorSpan& span) const {
  if (span.name.empty()) return true;
  const auto version = of(span.name);
  if (!version) return span.before.empty();
  const auto since = release(span.since);
  const auto before = release(span.before);
  return (!since || *version >= *since) && (!before || *version < *before);
}

}  // namespace trainyard
