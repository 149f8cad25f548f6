#include "cel/lexer.h"

#include <algorithm>
#include <array>

#include "source/characters.h"

namespace trainyard::cel {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// How many letters stand before the quote of a string literal (`r"`, `b'`, `br"`); npos when this
/// is none.
std::size_t string_prefix(std::string_view text) {
  for (std::size_t i = 0; i < std::min<std::size_t>(text.size(), 3); ++i) {
    if (text[i] == '"' || text[i] == '\'') return i;
    constexpr std::string_view kLetters = "rRbB";
    if (kLetters.find(text[i]) == kLetters.npos) break;
  }
  return text.npos;
}

}  // namespace

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 17> words = {
      "as",  "break", "const",     "continue", "else",   "for", "function", "if",   "import",
      "let", "loop",  "namespace", "package",  "return", "var", "void",     "while"};
  return std::ranges::find(words, word) != words.end();
}

Lexeme Lexer::next() {
  skip_space();
  if (at_ == source_.size()) return lexeme(Token::End, 0);
  if (const std::size_t prefix = string_prefix(source_.substr(at_)); prefix != source_.npos) {
    return string(prefix);
  }
  const char c = peek();
  if (is_letter(c)) return word();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  return symbol();
}

void Lexer::skip_space() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else {
      break;
    }
  }
}

Lexeme Lexer::lexeme(Token kind, std::size_t size) {
  const Lexeme result{kind, source_.substr(at_, size), static_cast<std::uint32_t>(at_)};
  at_ += size;
  return result;
}

Lexeme Lexer::broken(std::string_view why) {
  return {Token::Broken, why, static_cast<std::uint32_t>(at_)};
}

Lexeme Lexer::word() {
  std::size_t size = 1;
  while (is_letter(peek(size)) || is_digit(peek(size))) ++size;
  const bool is_operator = source_.substr(at_, size) == "in";
  return lexeme(is_operator ? Token::Symbol : Token::Identifier, size);
}

Lexeme Lexer::number() {
  std::size_t size = 0;
  Token kind = Token::Int;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && is_hex(peek(2))) {
    size = 2;
    while (is_hex(peek(size))) ++size;
  } else {
    while (is_digit(peek(size))) ++size;
    if (peek(size) == '.' && is_digit(peek(size + 1))) {
      kind = Token::Double;
      ++size;
      while (is_digit(peek(size))) ++size;
    }
    if (peek(size) == 'e' || peek(size) == 'E') {
      const std::size_t sign = peek(size + 1) == '+' || peek(size + 1) == '-' ? 1 : 0;
      if (is_digit(peek(size + 1 + sign))) {
        kind = Token::Double;
        size += 1 + sign;
        while (is_digit(peek(size))) ++size;
      }
    }
  }
  if (kind == Token::Int && (peek(size) == 'u' || peek(size) == 'U')) {
    kind = Token::Uint;
    ++size;
  }
  return lexeme(kind, size);
}

Lexeme Lexer::string(std::size_t prefix) {
  const std::string_view letters = source_.substr(at_, prefix);
  const bool raw = letters.find_first_of("rR") != letters.npos;
  const bool bytes = letters.find_first_of("bB") != letters.npos;
  const char quote = peek(prefix);
  const bool triple = peek(prefix + 1) == quote && peek(prefix + 2) == quote;
  const std::string_view all = source_.substr(at_);
  std::size_t size = prefix + (triple ? 3 : 1);
  while (size < all.size()) {
    const char c = all[size];
    if (c == '\\' && !raw) {
      size += 2;
    } else if (c == '\n' && !triple) {
      break;
    } else if (c == quote && (!triple || (peek(size + 1) == quote && peek(size + 2) == quote))) {
      return lexeme(bytes ? Token::Bytes : Token::String, size + (triple ? 3 : 1));
    } else {
      ++size;
    }
  }
  return broken("a string that is not closed");
}

Lexeme Lexer::symbol() {
  constexpr std::array<std::string_view, 6> pairs = {"==", "!=", "<=", ">=", "&&", "||"};
  const std::string_view two = source_.substr(at_, 2);
  if (std::ranges::find(pairs, two) != pairs.end()) return lexeme(Token::Symbol, 2);
  constexpr std::string_view singles = "+-*/%<>!?:.,()[]{}";
  if (singles.find(peek()) != singles.npos) return lexeme(Token::Symbol, 1);
  return broken("a character that has no meaning here");
}

}  // namespace trainyard::cel
