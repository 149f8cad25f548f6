#include "unit/cel/textproto.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "cel/code_points.h"

namespace trainyard::testing {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  ProtoMessage message(char close) {
    ProtoMessage result;
    for (skip(); peek() != close; skip()) {
      field(result);
    }
    if (close != '\0') ++at_;
    return result;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip() {
    while (at_ < text_.size()) {
      if (peek() == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0 || peek() == ',' ||
                 peek() == ';') {
        ++at_;
      } else {
        break;
      }
    }
  }

  std::string until(std::string_view stops) {
    const std::size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
    const std::string result(text_.substr(at_, end - at_));
    at_ = end;
    return result;
  }

  /// One field, or several from `name: [a, b]`.
  void field(ProtoMessage& out) {
    std::string name;
    if (peek() == '[') {
      name = until("]") + "]";
      ++at_;
    } else {
      name = until(" \t\n:{<#");
    }
    if (name.empty()) throw std::runtime_error("a field has no name");
    skip();
    if (peek() == ':') ++at_;
    skip();
    if (peek() != '[') {
      out.fields.push_back(value(name));
      return;
    }
    ++at_;
    for (skip(); peek() != ']'; skip()) out.fields.push_back(value(name));
    ++at_;
  }

  ProtoField value(const std::string& name) {
    ProtoField result;
    result.name = name;
    if (peek() == '{' || peek() == '<') {
      const char close = peek() == '{' ? '}' : '>';
      ++at_;
      result.message = message(close);
    } else {
      result.text = scalar();
    }
    return result;
  }

  std::string scalar() {
    if (peek() != '"' && peek() != '\'') return until(" \t\n,;}>]#");
    std::string result;
    for (; peek() == '"' || peek() == '\''; skip()) quoted(result);  // neighbours are one
    return result;
  }

  void quoted(std::string& out) {
    const char quote = text_[at_++];
    while (peek() != quote) {
      if (at_ >= text_.size()) throw std::runtime_error("a string is not closed");
      const char c = text_[at_++];
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
      }
    }
    ++at_;
  }

  void escape(std::string& out) {
    const char c = text_[at_++];
    constexpr std::string_view letters = "abfnrtv";
    constexpr std::string_view meanings = "\a\b\f\n\r\t\v";
    if (c == 'x') {
      out += static_cast<char>(number(2, 16));
    } else if (c == 'u' || c == 'U') {
      cel::append_utf8(static_cast<char32_t>(number(c == 'u' ? 4 : 8, 16)), out);
    } else if (c >= '0' && c <= '7') {
      --at_;
      out += static_cast<char>(number(3, 8));
    } else if (const std::size_t found = letters.find(c); found != letters.npos) {
      out += meanings[found];
    } else {
      out += c;
    }
  }

  /// Up to `most` digits.
  unsigned number(std::size_t most, unsigned base) {
    unsigned value = 0;
    for (std::size_t i = 0; i < most; ++i, ++at_) {
      const char c = peek();
      const bool digit = c >= '0' && c <= '9';
      if (!digit && std::isxdigit(static_cast<unsigned char>(c)) == 0) break;
      const unsigned amount =
          digit ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a' + 10);
      if (amount >= base) break;
      value = value * base + amount;
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const ProtoField* ProtoMessage::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &ProtoField::name);
  return found == fields.end() ? nullptr : &*found;
}

const ProtoMessage& ProtoMessage::message(std::string_view name) const {
  static const ProtoMessage empty;
  const ProtoField* found = find(name);
  return found == nullptr ? empty : found->message;
}

std::string ProtoMessage::text(std::string_view name) const {
  const ProtoField* found = find(name);
  return found == nullptr ? "" : found->text;
}

ProtoMessage parse_textproto(std::string_view text) {
  return Reader(text).message('\0');
}

}  // namespace trainyard::testing
