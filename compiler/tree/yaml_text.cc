#include "tree/yaml_text.h"

#include <algorithm>

namespace trainyard {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_white(char c) {
  return is_blank(c) || c == '\n' || c == '\r';
}

}  // namespace

std::size_t YamlText::line_begin(std::size_t at) const {
  if (at == 0) return 0;
  const std::size_t before = text_.rfind('\n', at - 1);
  return before == text_.npos ? 0 : before + 1;
}

bool YamlText::is_template_line(std::size_t at) const {
  constexpr std::size_t kFar = 1000;  // a line may be the whole file, and be asked about often
  at = std::min(at, text_.size());
  const std::size_t first = at - std::min(at, kFar);
  const YamlText around(text_.substr(first, 2 * kFar));
  const std::size_t here = at - first;
  const std::string_view line = around.from(around.line_begin(here), around.line_end(here));
  return line.find("{{") != std::string_view::npos;
}

std::size_t YamlText::line_end(std::size_t at) const {
  std::size_t end = text_.find('\n', at);
  if (end == text_.npos) end = text_.size();
  if (end > at && text_[end - 1] == '\r') --end;
  return end;
}

std::size_t YamlText::skip_blank(std::size_t at) const {
  while (at < text_.size()) {
    if (is_white(text_[at])) {
      ++at;
    } else if (text_[at] == '#') {
      at = line_end(at);
    } else {
      break;
    }
  }
  return at;
}

std::size_t YamlText::word_end(std::size_t begin) const {
  if (text_.substr(begin).starts_with("!<")) {
    const std::size_t close = text_.find('>', begin);
    if (close != text_.npos) return close + 1;
  }
  std::size_t end = begin;
  while (end < text_.size() && !is_white(text_[end]) &&
         std::string_view(",[]{}").find(text_[end]) == std::string_view::npos) {
    ++end;
  }
  return end;
}

std::size_t YamlText::properties_end(std::size_t at, bool anchor, bool tag) const {
  std::size_t end = at;
  for (int i = 0; i < 2; ++i) {
    const char c = this->at(at);
    if (c == '&' && anchor) {
      anchor = false;
    } else if (c == '!' && tag) {
      tag = false;
    } else {
      break;
    }
    end = word_end(at);
    at = skip_blank(end);
  }
  return end;
}

std::size_t YamlText::after_properties(std::size_t at, bool anchor, bool tag) const {
  const std::size_t end = properties_end(at, anchor, tag);
  return end == at ? at : skip_blank(end);
}

Style YamlText::style(std::size_t at) const {
  switch (this->at(at)) {
    case '\'':
      return Style::SingleQuoted;
    case '"':
      return Style::DoubleQuoted;
    case '|':
      return Style::Literal;
    case '>':
      return Style::Folded;
    default:
      return Style::Plain;
  }
}

std::size_t YamlText::plain_end(std::size_t begin, std::string_view value) const {
  std::size_t at = begin;
  std::size_t i = 0;
  while (i < value.size() && at < text_.size()) {
    if (is_white(value[i]) && is_white(text_[at])) {  // folded line breaks: any blank is any other
      while (i < value.size() && is_white(value[i])) ++i;
      while (at < text_.size() && is_white(text_[at])) ++at;
    } else if (value[i] == text_[at]) {
      ++i;
      ++at;
    } else {
      break;
    }
  }
  while (at > begin && is_white(text_[at - 1])) --at;
  return at;
}

std::size_t YamlText::quoted_end(std::size_t begin) const {
  const char quote = text_[begin];
  for (std::size_t at = begin + 1; at < text_.size(); ++at) {
    if (text_[at] == '\\' && quote == '"') {
      ++at;
    } else if (text_[at] == quote) {
      if (quote == '"' || this->at(at + 1) != '\'') return at + 1;
      ++at;
    }
  }
  return text_.size();
}

bool YamlText::quote_is_closed(std::size_t begin) const {
  const std::size_t end = quoted_end(begin);
  if (end < text_.size()) return true;
  return end > begin + 1 && text_[end - 1] == text_[begin];
}

std::size_t YamlText::block_end(std::size_t begin, long parent) const {
  std::size_t header = begin + 1;
  long content = -1;  // the least column of a content line
  while (header < text_.size() && !is_white(text_[header])) {
    if (text_[header] >= '1' && text_[header] <= '9') {
      content = (parent < 0 ? 0 : parent) + (text_[header] - '0');
    }
    ++header;
  }
  std::size_t end = header;
  for (std::size_t at = text_.find('\n', header); at != text_.npos; at = text_.find('\n', at)) {
    const std::size_t line = ++at;
    std::size_t first = line;
    while (this->at(first) == ' ') ++first;
    if (first >= text_.size()) break;
    if (text_[first] == '\n' || text_[first] == '\r') continue;
    const auto column = static_cast<long>(first - line);
    if (content < 0) content = column;
    if (column < content || column <= parent) break;
    const std::string_view rest = text_.substr(line);
    if (rest.starts_with("---") || rest.starts_with("...")) break;
    end = line_end(line);
  }
  return end;
}

std::size_t YamlText::flow_end(std::size_t last) const {
  std::size_t at = skip_blank(last);
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == ']' || c == '}') return at + 1;
    if (c != ',' && c != ':' && c != '?') break;
    at = skip_blank(at + 1);
  }
  return last;
}

}  // namespace trainyard
