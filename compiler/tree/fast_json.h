#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/characters.h"
#include "tree/tree.h"
#include "tree/utf8.h"

namespace trainyard {

/// Reads the JSON that programs write. It declines floats, integers of more than 18 digits, pairs
/// of surrogates and everything that is wrong: another reader then begins anew, and says what is
/// wrong. Each method of the handler returns false to stop; its texts last for the call.
template <class Handler>
class FastJson {
 public:
  enum class End : std::uint8_t { Done, Declined, Stopped };

  FastJson(std::string_view text, Handler& handler)
      : at_(text.data()), end_(text.data() + text.size()), handler_(handler) {}

  End read() {
    bool goes_on = value();
    while (goes_on && !open_.empty()) goes_on = next();
    if (is_stopped_) return End::Stopped;
    skip_space();
    return goes_on && at_ == end_ ? End::Done : End::Declined;
  }

 private:
  /// What stands behind a value within a collection.
  bool next() {
    skip_space();
    if (take(open_.back() ? '}' : ']')) {
      open_.pop_back();
      return handled(handler_.close());
    }
    if (!take(',')) return false;
    return (!open_.back() || key()) && value();
  }

  bool value() {
    skip_space();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
        return begin(Kind::Map, '}');
      case '[':
        return begin(Kind::Seq, ']');
      case '"':
        return string() && handled(handler_.scalar(Kind::String, text_));
      case 't':
        return literal("true") && handled(handler_.scalar(Kind::Bool, "true"));
      case 'f':
        return literal("false") && handled(handler_.scalar(Kind::Bool, "false"));
      case 'n':
        return literal("null") && handled(handler_.scalar(Kind::Null, {}));
      default:
        return integer() && handled(handler_.scalar(Kind::Int, text_));
    }
  }

  bool begin(Kind kind, char closer) {
    ++at_;
    if (!handled(handler_.open(kind))) return false;
    skip_space();
    if (take(closer)) return handled(handler_.close());
    open_.push_back(kind == Kind::Map);
    return (kind != Kind::Map || key()) && value();
  }

  bool key() {
    skip_space();
    if (!string()) return false;
    skip_space();
    return take(':') && handled(handler_.key(text_));
  }

  bool literal(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  bool integer() {
    const char* const begin = at_;
    take('-');
    const char* const digits = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    const auto count = at_ - digits;
    if (count == 0 || count > 18 || (*digits == '0' && at_ - begin > 1)) return false;
    text_ = {begin, static_cast<std::size_t>(at_ - begin)};
    return at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E');
  }

  /// Into `text_`.
  bool string() {
    if (!take('"')) return false;
    const char* const begin = at_;
    bool is_ascii = true;
    for (; at_ != end_ && kPlain[byte()] != Special; ++at_) is_ascii &= kPlain[byte()] == Ascii;
    text_ = {begin, static_cast<std::size_t>(at_ - begin)};
    if (at_ != end_ && *at_ == '\\') {
      if (!escaped()) return false;
      is_ascii = false;
    }
    return take('"') && (is_ascii || is_utf8_text(text_));
  }

  /// The rest of a string from its first escape on.
  bool escaped() {
    unescaped_ = text_;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ != '\\') {
        if (byte() < 0x20) return false;
        unescaped_ += *at_++;
      } else if (!escape()) {
        return false;
      }
    }
    text_ = unescaped_;
    return true;
  }

  bool escape() {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (end_ - at_ < 2) return false;
    const char name = at_[1];
    at_ += 2;
    if (name == 'u') return code_point();
    const std::size_t index = kNames.find(name);
    if (index == kNames.npos) return false;
    unescaped_ += kValues[index];
    return true;
  }

  bool code_point() {
    if (end_ - at_ < 4) return false;
    unsigned value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = hex(*at_);
      if (digit < 0) return false;
      value = value * 16 + static_cast<unsigned>(digit);
    }
    if (value == 0 || (value >= 0xD800 && value <= 0xDFFF)) return false;
    if (value < 0x80) {
      unescaped_ += static_cast<char>(value);
    } else if (value < 0x800) {
      unescaped_ += static_cast<char>(0xC0 | (value >> 6));
      unescaped_ += static_cast<char>(0x80 | (value & 0x3F));
    } else {
      unescaped_ += static_cast<char>(0xE0 | (value >> 12));
      unescaped_ += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
      unescaped_ += static_cast<char>(0x80 | (value & 0x3F));
    }
    return true;
  }

  static int hex(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  bool take(char wanted) {
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  bool handled(bool goes_on) {
    is_stopped_ = !goes_on;
    return goes_on;
  }
  unsigned char byte() const { return static_cast<unsigned char>(*at_); }

  enum Class : std::uint8_t { Ascii, High, Special };
  static constexpr auto kPlain = [] {
    std::array<Class, 256> table{};
    for (std::size_t i = 0; i < 256; ++i) {
      table[i] = i >= 0x80 ? High : i < 0x20 || i == '"' || i == '\\' ? Special : Ascii;
    }
    return table;
  }();

  const char* at_;
  const char* const end_;
  Handler& handler_;
  std::vector<bool> open_;  // collections within which it is; true for a map
  std::string_view text_;   // of the last string or number
  std::string unescaped_;
  bool is_stopped_ = false;
};

}  // namespace trainyard
