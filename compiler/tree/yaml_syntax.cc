#include "tree/yaml_syntax.h"
#include "source/text_parts.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace trainyard {
namespace {

bool is_white(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

/// Before a quote or bracket that starts something, rather than being part of a word.
bool starts_token(const YamlText& text, std::size_t at) {
  if (at == 0) return true;
  const char before = text.at(at - 1);
  return is_white(before) || std::string_view("[{,:").find(before) != std::string_view::npos;
}

/// What is open at the end of a stretch of text.
struct Open {
  std::optional<std::size_t> quote;
  std::optional<std::size_t> bracket;
  std::optional<std::size_t> stray;  // a closing bracket that closes nothing, or the wrong one
};

Open find_open(const YamlText& text, const SyntaxBreak& where) {
  Open open;
  std::vector<std::size_t> brackets;
  if (where.bracket < text.all().size()) brackets.push_back(where.bracket);
  for (std::size_t at = where.last_end; at < text.all().size(); ++at) {
    const char c = text.at(at);
    const bool token = starts_token(text, at) || !brackets.empty();
    if ((c == '"' || c == '\'') && starts_token(text, at)) {
      if (!text.quote_is_closed(at)) {
        open.quote = at;
        break;
      }
      at = text.quoted_end(at) - 1;
    } else if (c == '#' && (at == 0 || is_white(text.at(at - 1)))) {
      at = text.line_end(at);
    } else if ((c == '[' || c == '{') && token) {
      brackets.push_back(at);
    } else if (c == ']' || c == '}') {
      const char opener = c == ']' ? '[' : '{';
      if (brackets.empty() || text.at(brackets.back()) != opener) {
        if (at >= where.at || !brackets.empty()) open.stray = at;
        break;
      }
      brackets.pop_back();
    }
    if (at > where.at && brackets.empty()) break;
  }
  if (!brackets.empty()) open.bracket = brackets.back();
  return open;
}

SyntaxFault fault(std::size_t begin, std::size_t end, std::string message) {
  return {begin, std::max(begin, end), std::move(message), false};
}

std::size_t first_in_line(const YamlText& text, std::size_t at) {
  std::size_t first = text.line_begin(at);
  while (text.at(first) == ' ') ++first;
  return first;
}

std::optional<SyntaxFault> leading_tab(const YamlText& text, std::size_t at) {
  std::size_t i = text.line_begin(at);
  while (text.at(i) == ' ' || text.at(i) == '-') ++i;
  if (text.at(i) != '\t') return std::nullopt;
  SyntaxFault result = fault(i, i + 1, "a tab is used for indentation; use spaces");
  result.tab = true;
  return result;
}

std::optional<SyntaxFault> unclosed(const YamlText& text, const SyntaxBreak& where) {
  const Open open = find_open(text, where);
  if (open.quote) return fault(*open.quote, *open.quote + 1, "this quote is never closed");
  if (open.stray) {
    const std::string bracket(1, text.at(*open.stray));
    std::string message = in_backticks(bracket) + " closes nothing";
    if (open.bracket) {
      message = in_backticks(bracket) + " where " +
                in_backticks(text.at(*open.bracket) == '[' ? "]" : "}") +
                " has to close the bracket before";
    }
    return fault(*open.stray, *open.stray + 1, message);
  }
  if (open.bracket) {
    const std::string bracket(1, text.at(*open.bracket));
    return fault(*open.bracket, *open.bracket + 1,
                 in_backticks(bracket) + " is never closed; add " +
                     in_backticks(bracket == "[" ? "]" : "}"));
  }
  return std::nullopt;
}

/// A character that looks like a space and is none, where a space has to be: U+00A0 and others that
/// come with text from web pages. Only behind a colon or hyphen and in front of a line.
std::optional<SyntaxFault> look_alike_space(const YamlText& text, const SyntaxBreak& where) {
  const std::size_t end = text.line_end(std::min(where.at, text.all().size()));
  // A word goes on in the next line, which the parser then finds wrong.
  const std::size_t line = text.line_begin(where.last_end);
  for (std::size_t at = text.line_begin(line == 0 ? 0 : line - 1); at < end; ++at) {
    const std::string_view rest = text.from(at, text.all().size());
    for (std::string_view space :
         {"\u00A0", "\u2002", "\u2003", "\u2009", "\u200B", "\u202F", "\u3000"}) {
      const bool behind_mark = at != 0 && (text.at(at - 1) == ':' || text.at(at - 1) == '-');
      if (!rest.starts_with(space) || !(behind_mark || first_in_line(text, at) == at)) continue;
      return fault(at, at + space.size(),
                   "a character that looks like a space and is none; write a plain space");
    }
  }
  return std::nullopt;
}

/// `key value`, `key:value`: a line of a map that lacks its `: `.
std::optional<SyntaxFault> missing_colon(const YamlText& text, std::size_t at) {
  const std::size_t first = first_in_line(text, at);
  const std::size_t end = text.line_end(first);
  const std::string_view line = text.from(first, end);
  if (line.empty() || line.find(": ") != line.npos || line.back() == ':') return std::nullopt;
  if (line.starts_with("- ") || std::string_view("[]{}\"'|>&*!%@`#").find(line[0]) != line.npos) {
    return std::nullopt;
  }
  const std::size_t colon = line.find(':');
  if (colon != line.npos && colon != 0) {
    return fault(first + colon, first + colon + 1,
                 "a space is missing after the colon of " + in_backticks(line.substr(0, colon)));
  }
  return fault(first, end, "a key without `:`; write `key: value`");
}

/// Where the key of a line begins, behind the hyphens of a list.
std::size_t key_in_line(const YamlText& text, std::size_t at) {
  std::size_t first = first_in_line(text, at);
  while (text.at(first) == '-' && text.at(first + 1) == ' ') first += 2;
  return first;
}

/// A line of a map that goes on with the value of the line above: it is indented deeper, or the
/// line above has no `: `.
std::optional<SyntaxFault> continued_value(const YamlText& text, std::size_t at) {
  const std::size_t first = key_in_line(text, at);
  const std::string_view key = text.from(first, at);
  if (key.empty() || key.find_first_of(" :\"'[]{}") != key.npos) return std::nullopt;
  std::size_t begin = text.line_begin(at);
  std::size_t above = begin;
  while (begin > 0) {
    begin = text.line_begin(begin - 1);
    above = first_in_line(text, begin);
    if (above < text.line_end(begin) && text.at(above) != '#') break;
  }
  if (begin == text.line_begin(at)) return std::nullopt;
  above = key_in_line(text, begin);
  if (text.from(above, text.line_end(above)).find(": ") == std::string_view::npos) {
    return missing_colon(text, above);
  }
  if (first - text.line_begin(first) <= above - begin) return std::nullopt;
  return fault(
      first, at,
      in_backticks(key) + " is indented deeper than the line above, which has a value already");
}

std::optional<SyntaxFault> bad_character(const YamlText& text, std::size_t at) {
  const char c = text.at(at);
  const std::string shown = in_backticks(std::string_view(&c, 1));
  switch (c) {
    case '\t': {
      SyntaxFault result = fault(at, at + 1, "a tab cannot stand here; use spaces");
      result.tab = true;
      return result;
    }
    case '@':
    case '`':
      return fault(at, at + 1,
                   "a value cannot start with " + (c == '@' ? shown : "a backtick") + "; quote it");
    case '%':
      return fault(at, at + 1, shown + " starts a directive or is out of place; quote the value");
    case ':':
      return fault(at, at + 1, "a second `:`; a value that holds `: ` must be quoted");
    case '-':
      return fault(at, at + 1,
                   "a list item cannot stand here; check its indentation, or quote the value");
    case '?':
      return fault(at, at + 1, "`?` cannot stand here; quote the value");
    case '&':
      return fault(at, text.word_end(at), "an anchor that is empty or cannot stand here");
    case '*':
      return fault(at, text.word_end(at), "an alias that is empty or cannot stand here");
    case '!':
      return fault(at, text.word_end(at), "a tag that is incomplete or cannot stand here");
    case '|':
    case '>':
      return fault(at, text.line_end(at),
                   "this block text cannot start so; after " + shown +
                       " only `+`, `-` or an indentation of 1 to 9");
    default:
      return std::nullopt;
  }
}

/// `[torchrun, --nnodes=${N}]`: in brackets a word ends where another bracket begins, and nothing
/// follows a value that is closed.
std::optional<SyntaxFault> bracket_in_value(const YamlText& text, std::size_t at) {
  const char c = text.at(at);
  if ((c != '{' && c != '[') || starts_token(text, at)) return std::nullopt;
  const std::string bracket(1, c);
  if (std::string_view("]}\"'").find(text.at(at - 1)) != std::string_view::npos) {
    return fault(at, at + 1,
                 in_backticks(bracket) + " cannot follow a value that is closed; quote all of it");
  }
  std::size_t begin = at;
  while (!starts_token(text, begin)) --begin;
  return fault(begin, text.word_end(at + 1),
               "a word in brackets cannot hold " + in_backticks(bracket) + "; quote the word");
}

/// A backslash in double quotes that YAML does not know.
std::optional<SyntaxFault> bad_escape(const YamlText& text, std::size_t at) {
  const std::size_t begin = text.line_begin(at);
  const std::string_view line = text.from(begin, std::min(at + 1, text.all().size()));
  const std::size_t found = line.rfind('\\');
  const std::size_t back = begin + found;
  if (found == std::string_view::npos || at - back > 10) return std::nullopt;
  return fault(back, std::min(back + 2, text.all().size()),
               "an unknown escape in double quotes; write `\\\\` for a backslash");
}

std::optional<SyntaxFault> bad_indentation(const YamlText& text, const SyntaxBreak& where) {
  const std::size_t at = std::min(where.at, text.all().size());
  if (at == text.all().size()) return std::nullopt;
  const std::size_t first = first_in_line(text, at);
  if (first != at || first == text.line_begin(at)) return std::nullopt;
  return fault(at, text.line_end(at), "the indentation of this line fits nothing above it");
}

}  // namespace

SyntaxFault explain_syntax(const YamlText& text, const SyntaxBreak& where) {
  const std::size_t at = std::min(where.at, text.all().size());
  const bool at_end = text.skip_blank(at) >= text.all().size();
  if (auto found = leading_tab(text, at)) return *found;
  if (auto found = look_alike_space(text, where)) return *found;
  if (auto found = unclosed(text, where)) return *found;
  if (auto found = bad_escape(text, at)) return *found;
  const bool in_brackets = where.bracket < text.all().size();
  if (!at_end) {
    if (text.at(at) == ':' && !in_brackets) {
      if (auto found = continued_value(text, at)) return *found;
    }
    if (auto found = bad_character(text, at)) return *found;
    if (auto found = bracket_in_value(text, at)) return *found;
    if (auto found = missing_colon(text, at)) return *found;
    if (auto found = bad_indentation(text, where)) return *found;
  }
  if (auto found = missing_colon(text, where.last_end)) return *found;
  if (!at_end && at > 0 && text.at(at - 1) == ':' && (text.at(at) == '[' || text.at(at) == '{')) {
    return fault(at - 1, at + 1, "a space is missing after the `:`");
  }
  return fault(at, at_end ? at : text.line_end(at), "this is not valid YAML");
}

}  // namespace trainyard
