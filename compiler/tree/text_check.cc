#include "tree/text_check.h"

#include <string>

#include "source/text_scan.h"

namespace trainyard {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

/// UTF-16 and UTF-32 by their mark, "" for neither.
std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xff\xfe\0\0"sv) || text.starts_with("\0\0\xfe\xff"sv)) return "UTF-32";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return "UTF-16";
  return {};
}

struct Character {
  std::uint32_t code = 0;
  std::uint32_t length = 0;  // 0: not UTF-8
};

Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::uint32_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return {};
  std::uint32_t code = first & (0x7fu >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || code > 0x10ffff || surrogate) return {};
  return {code, length};
}

/// c-printable of the YAML specification.
bool allowed(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0x7f || code == 0x85 || (code >= 0xa0 && code != 0xfffe && code != 0xffff);
}

std::string hex(std::uint32_t value, int digits) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    result += kDigits[(value >> shift) & 0xf];
  }
  return result;
}

class Checker {
 public:
  Checker(std::string_view text, FileId file, Sink& sink) : text_(text), file_(file), sink_(sink) {}

  TextCheck run() {
    if (const std::string_view wide = wide_encoding(text_); !wide.empty()) {
      fail(DiagnosticKind::ByteOrderMark, 0, 2,
           "the file is " + std::string(wide) + "; save it as UTF-8");
      return result_;
    }
    if (text_.starts_with(kUtf8Mark)) result_.begin = 3;
    std::size_t at = after_ordinary(text_, result_.begin);
    while (at < text_.size() && result_.good) at = after_ordinary(text_, at + character(at));
    if (result_.good) find_tabs();
    return result_;
  }

 private:
  void fail(DiagnosticKind kind, std::size_t at, std::size_t length, std::string message) {
    result_.good = false;
    const auto begin = static_cast<std::uint32_t>(at);
    sink_.report(kind, {file_, begin, static_cast<std::uint32_t>(at + length)}, std::move(message));
  }

  /// The length of the character at `at`; 0 after an error, for one wrong byte rarely comes alone.
  std::size_t character(std::size_t at) {
    const auto first = static_cast<unsigned char>(text_[at]);
    const Character found = decode(text_.substr(at, 4));
    if (found.length == 0) {
      fail(DiagnosticKind::InvalidUtf8, at, 1,
           "byte 0x" + hex(first, 2) + " is not UTF-8 here; save the file as UTF-8");
    } else if (found.code == 0xfeff) {
      fail(DiagnosticKind::ByteOrderMark, at, 3,
           "a byte order mark in the middle of the text; remove it");
    } else if (!allowed(found.code)) {
      fail(DiagnosticKind::ControlCharacter, at, found.length,
           "the control character U+" + hex(found.code, 4) +
               " is not allowed in YAML; in double quotes it can be written as an escape");
    }
    return result_.good ? found.length : 0;
  }

  void find_tabs() {
    for (std::size_t tab = text_.find('\t'); tab != text_.npos; tab = text_.find('\t', tab + 1)) {
      std::size_t line = tab;
      while (line > 0 && text_[line - 1] == ' ') --line;
      if (line > 0 && text_[line - 1] != '\n') continue;
      const std::size_t first = text_.find_first_not_of(" \t", tab);
      if (first == text_.npos) return;
      const char c = text_[first];
      if (c != '\n' && c != '\r' && c != '#') {
        result_.leading_tabs.push_back(static_cast<std::uint32_t>(tab));
      }
      tab = first - 1;
    }
  }

  std::string_view text_;
  FileId file_;
  Sink& sink_;
  TextCheck result_;
};

}  // namespace

TextCheck check_text(const SourceMap& sources, FileId file, Sink& sink) {
  return Checker(sources.text(file), file, sink).run();
}

}  // namespace trainyard
