#pragma once

#include <cstddef>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// The message about such an expression where YAML does not take it.
inline constexpr std::string_view kNotRendered =
    "`{{` begins an expression of a template, which is no YAML before it is rendered, as "
    "`helm template` does";

/// Looks at YAML source text around the places that a parser names, to find where things end. All
/// places are byte offsets; none is past the end of the text.
class YamlText {
 public:
  explicit YamlText(std::string_view text) : text_(text) {}

  std::string_view all() const { return text_; }
  /// The character at `at`, or 0 past the end.
  char at(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  std::string_view from(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }

  std::size_t line_begin(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;  // before the line break
  /// Whether the line holds an expression of a Helm template near here, `{{ .Values.a }}`.
  bool is_template_line(std::size_t at) const;
  std::size_t column(std::size_t at) const { return at - line_begin(at); }

  /// Past spaces, tabs, line breaks and comments.
  std::size_t skip_blank(std::size_t at) const;
  /// Past an anchor and a tag, and what is blank between and after them.
  std::size_t after_properties(std::size_t at, bool anchor, bool tag) const;
  /// Past the properties only: where an empty node ends.
  std::size_t properties_end(std::size_t at, bool anchor, bool tag) const;

  /// How the scalar that starts at `at` is written.
  Style style(std::size_t at) const;
  /// After the last character of a plain scalar whose folded text is `value`.
  std::size_t plain_end(std::size_t begin, std::string_view value) const;
  /// After the closing quote, or the end of the text when there is none.
  std::size_t quoted_end(std::size_t begin) const;
  bool quote_is_closed(std::size_t begin) const;
  /// The end of the last content line of a literal or folded scalar. `parent` is the column of the
  /// collection around it, -1 for none.
  std::size_t block_end(std::size_t begin, long parent) const;
  /// After the bracket that closes a flow collection whose last child ends at `last`.
  std::size_t flow_end(std::size_t last) const;

  /// After the anchor, alias or tag that starts at `at`.
  std::size_t word_end(std::size_t at) const;

 private:
  std::string_view text_;
};

}  // namespace trainyard
