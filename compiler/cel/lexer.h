#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard::cel {

enum class Token : std::uint8_t {
  End,
  Broken,  // `Lexeme::text` says what is wrong
  Identifier,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Symbol,  // an operator or a bracket; also `in`
};

struct Lexeme {
  Token kind = Token::End;
  std::string_view text;  // as written, quotes and prefix included
  std::uint32_t position = 0;
};

/// Cuts the text of an expression into lexemes; white space and comments lie between them.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Lexeme next();

 private:
  void skip_space();
  Lexeme lexeme(Token kind, std::size_t size);
  Lexeme broken(std::string_view why);
  Lexeme word();
  Lexeme number();
  Lexeme string(std::size_t prefix);
  Lexeme symbol();
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  std::string_view source_;
  std::size_t at_ = 0;
};

/// The meaning of a string or bytes literal as written; false with a reason in `out` when an escape
/// is wrong.
bool unquote(std::string_view literal, bool bytes, std::string& out);

/// Words that an expression may not use as names.
bool is_reserved(std::string_view word);

}  // namespace trainyard::cel
