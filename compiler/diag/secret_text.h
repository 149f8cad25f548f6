#pragma once

#include <cstddef>
#include <string_view>

/// How the search for secrets reads a text that may be YAML, JSON or a command.
namespace trainyard::secret_text {

/// A name longer than that is none.
inline constexpr std::size_t kLongestName = 128;
inline constexpr std::string_view kWhat = "a credential, by its name";

/// Whether a character may stand in a name.
inline bool is_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-' || c == '.';
}
inline bool is_quote(char c) {
  return c == '"' || c == '\'';
}

/// Behind the anchor and the tag of the value that starts at `begin`.
std::size_t behind_properties(std::string_view text, std::size_t begin);
/// The name of an anchor or an alias, which begins at `begin`.
std::string_view anchor_at(std::string_view text, std::size_t begin);

}  // namespace trainyard::secret_text
