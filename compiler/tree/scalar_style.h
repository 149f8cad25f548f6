#pragma once

#include <string_view>

namespace trainyard {

/// The ways in which the writer writes a string.
enum class StringStyle { Plain, SingleQuoted, DoubleQuoted, Literal };

/// Where a string stands.
enum class StringPlace {
  Key,
  Value,      // of a map entry or a list item, so that a literal block may follow
  LastValue,  // the same at the end of the document
  Root,       // the whole document
};

/// The most readable style in which every reader gets this very string.
StringStyle choose_style(std::string_view text, StringPlace place);

/// True for a character that is shown as an escape: controls, line separators, byte order marks,
/// and those that are invisible or turn the direction of text, which a reviewer must see.
bool needs_escape(char32_t c);

}  // namespace trainyard
