#include "tree/format_scalar.h"

#include <algorithm>

#include "tree/quoted_text.h"
#include "tree/scalar_style.h"

namespace trainyard {
namespace {

bool is_quoted(std::string_view source) {
  return source.starts_with('\'') || source.starts_with('"');
}

bool plain_fits_flow(std::string_view text) {
  if (text.find_first_of(",[]{}?") != text.npos) return false;  // yaml-cpp trips over `x?,`
  return std::string_view("-?:").find(text.front()) == std::string_view::npos;
}

std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

std::string double_quoted(std::string_view text) {
  std::string result;
  TextBuffer buffer(result);
  put_double_quoted(buffer, text);
  return result.substr(0, buffer.size());
}

/// A quoted text with as little quoting as it needs.
std::string least_quoted(std::string_view text, StringPlace place, bool in_flow) {
  switch (choose_style(text, place)) {
    case StringStyle::Plain:
      if (!in_flow || plain_fits_flow(text)) return std::string(text);
      return text.find_first_of("\"\\") == text.npos ? double_quoted(text) : single_quoted(text);
    case StringStyle::SingleQuoted:
      return single_quoted(text);
    default:
      return double_quoted(text);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::size_t spaces_at_start(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// A line within quotes or a folded plain text, where blanks around it mean nothing. A blank at the
/// end stays when it is escaped.
std::string_view trimmed(std::string_view line, bool escapes) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::size_t end = line.find_last_not_of(" \t") + 1;
  const std::size_t text = end;
  std::size_t slashes = 0;
  while (escapes && slashes < text && line[text - 1 - slashes] == '\\') ++slashes;
  if (slashes % 2 == 1 && end < line.size()) ++end;
  return line.substr(0, end);
}

ScalarText several_lines(std::string_view source) {
  ScalarText result;
  const bool escapes = source.starts_with('"');
  std::vector<std::string_view> lines = lines_of(source);
  // The blanks after an opening quote belong to the text.
  std::string_view first = lines.front();
  result.first = trimmed(first, escapes);
  for (std::size_t i = 1; i < lines.size(); ++i) result.more.push_back(trimmed(lines[i], escapes));
  // So do those before a closing one, on a line of its own too: only the left is indentation.
  return result;
}

/// `|2- # c` without its comment.
std::string_view marks_of(std::string_view header) {
  header = header.substr(0, header.find('#'));
  return header.substr(0, header.find_last_not_of(" \t") + 1);
}

std::string block_header(std::string_view header) {
  const std::string_view marks = marks_of(header);
  std::string result(1, marks.front());
  if (marks.find_first_of("123456789") != marks.npos) result += '2';
  if (marks.find('-') != marks.npos) result += '-';
  if (marks.find('+') != marks.npos) result += '+';
  const std::size_t hash = header.find('#');
  if (hash == header.npos) return result;
  header.remove_prefix(hash);
  return result + ' ' + std::string(header.substr(0, header.find_last_not_of(" \t") + 1));
}

ScalarText block_text(std::string_view source, std::size_t parent) {
  ScalarText result;
  result.block = true;
  const std::size_t indent = block_indentation(source, parent);
  std::vector<std::string_view>& lines = result.more;
  lines = lines_of(source);
  result.first = block_header(lines.front());
  const bool keep = marks_of(lines.front()).find('+') != std::string_view::npos;
  lines.erase(lines.begin());
  for (std::string_view& line : lines) line.remove_prefix(std::min(line.size(), indent));
  while (!keep && !lines.empty() && lines.back().empty()) lines.pop_back();
  return result;
}

}  // namespace

std::size_t block_indentation(std::string_view source, std::size_t parent) {
  const std::vector<std::string_view> lines = lines_of(source);
  const std::string_view marks = marks_of(lines.front());
  const std::size_t digit = marks.find_first_of("123456789");
  if (digit != marks.npos) return parent + static_cast<std::size_t>(marks[digit] - '0');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t spaces = spaces_at_start(lines[i]);
    if (spaces != lines[i].size()) return spaces;
  }
  return std::string_view::npos;
}

ScalarText format_scalar(const Node& node, std::string_view source, std::size_t parent,
                         bool in_flow) {
  if (node.style == Style::Literal || node.style == Style::Folded) {
    return block_text(source, parent);
  }
  if (source.find('\n') != source.npos) return several_lines(source);
  ScalarText result;
  if (node.kind == Kind::Null) {
    result.first = source.empty() ? "" : "null";
  } else if (node.kind == Kind::Bool) {
    result.first = node.text;
  } else if (!is_quoted(source) || node.text.find('\n') != node.text.npos) {
    result.first = source;
  } else {
    result.first = least_quoted(node.text, StringPlace::Value, in_flow);
  }
  return result;
}

std::string format_key(const Node& node, std::string_view source, bool in_flow) {
  if (!is_quoted(source)) return std::string(source);
  return least_quoted(node.key, StringPlace::Key, in_flow);
}

}  // namespace trainyard
