#include "editor/file_uri.h"

#include <algorithm>
#include <optional>

#include "source/characters.h"

namespace trainyard {
namespace {

constexpr std::string_view kScheme = "file://";
constexpr std::string_view kDigits = "0123456789ABCDEF";

std::optional<unsigned> digit(char c) {
  if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  const std::size_t at = kDigits.find(c);
  if (at == kDigits.npos) return std::nullopt;
  return static_cast<unsigned>(at);
}

/// As they are in a path of a URI; RFC 3986, section 2.3, and the slash.
bool stays(char c) {
  return is_alphanumeric(c) || c == '/' || c == '-' || c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string path_of_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::string(uri);
  std::string_view rest = uri.substr(kScheme.size());
  rest.remove_prefix(std::min(rest.find('/'), rest.size()));  // the host
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto high = rest[i] == '%' && i + 2 < rest.size() ? digit(rest[i + 1]) : std::nullopt;
    const auto low = high ? digit(rest[i + 2]) : std::nullopt;
    if (low) {
      path += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return path;
}

std::string uri_of_path(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  std::string uri(kScheme);
  for (const char c : path) {
    if (stays(c)) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kDigits[byte / 16];
    uri += kDigits[byte % 16];
  }
  return uri;
}

}  // namespace trainyard
