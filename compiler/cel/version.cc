#include "cel/version.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "source/characters.h"

namespace trainyard::cel {
namespace {

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_identifier(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool has_leading_zero(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0';
}

/// Cuts the text up to the next `separator` off the front.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

bool read_number(std::string_view text, std::uint64_t& number) {
  if (!is_all_digits(text) || has_leading_zero(text)) return false;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size();
}

bool are_identifiers(std::string_view text, bool numbers_are_plain) {
  if (text.empty() || text.back() == '.') return false;
  while (!text.empty()) {
    const std::string_view part = take_part(text, '.');
    if (!is_identifier(part)) return false;
    if (numbers_are_plain && is_all_digits(part) && has_leading_zero(part)) return false;
  }
  return true;
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

/// Numbers by amount and below words. Without leading zeros the longer number is the larger one.
int compare_identifiers(std::string_view a, std::string_view b) {
  const bool a_number = is_all_digits(a);
  const bool b_number = is_all_digits(b);
  if (a_number != b_number) return a_number ? -1 : 1;
  if (a_number && a.size() != b.size()) return order(a.size(), b.size());
  return order(a, b);
}

int compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return order(a.empty(), b.empty());  // a release is the later one
  while (!a.empty() && !b.empty()) {
    const int result = compare_identifiers(take_part(a, '.'), take_part(b, '.'));
    if (result != 0) return result;
  }
  return order(!a.empty(), !b.empty());
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  std::string_view rest = text;
  if (const std::size_t plus = rest.find('+'); plus != rest.npos) {
    version.build = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
    if (!are_identifiers(version.build, false)) return std::nullopt;
  }
  if (const std::size_t dash = rest.find('-'); dash != rest.npos) {
    version.prerelease = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
    if (!are_identifiers(version.prerelease, true)) return std::nullopt;
  }
  if (std::ranges::count(rest, '.') != 2) return std::nullopt;
  const bool numbers = read_number(take_part(rest, '.'), version.major) &&
                       read_number(take_part(rest, '.'), version.minor) &&
                       read_number(rest, version.patch);
  return numbers ? std::optional(version) : std::nullopt;
}

std::optional<std::string> normalized_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<std::string, 3> parts = {"0", "0", "0"};
  std::size_t count = 0;
  for (std::string_view rest = text;; ++count) {
    const std::size_t dot = count < 2 ? rest.find('.') : rest.npos;
    std::string_view part = rest.substr(0, dot);
    const std::size_t kept = std::min(part.find_first_not_of('0'), part.size());
    if (part.size() > 1 && kept > 0) {
      part.remove_prefix(part.size() > kept && is_digit(part[kept]) ? kept : kept - 1);
    }
    parts[count] = part;
    if (dot == rest.npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (count < 2 && parts[count].find_first_of("+-") != std::string::npos) return std::nullopt;
  return parts[0] + "." + parts[1] + "." + parts[2];
}

int compare(const Version& a, const Version& b) {
  if (a.major != b.major) return order(a.major, b.major);
  if (a.minor != b.minor) return order(a.minor, b.minor);
  if (a.patch != b.patch) return order(a.patch, b.patch);
  return compare_prereleases(a.prerelease, b.prerelease);
}

}  // namespace trainyard::cel
