#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/emitter.h"
#include "cel/functions.h"
#include "cel/lexer.h"

namespace trainyard::cel {

/// Reads one expression and emits it on the way: macros are expanded and names are looked up while
/// they are read. The first error stops it.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string_view> variables, Dialect dialect);

  Compiled run();

 private:
  /// What a member expression begins with: an expression, or names that may still turn out to be
  /// a variable and its fields, a type, or the front part of a function's name.
  struct Head {
    std::optional<ExprId> id;
    std::vector<Lexeme> names;
    bool absolute = false;  // `.name`: not a local
  };
  struct Local {
    std::string_view name;
    std::uint32_t slot;
  };
  class Scope;

  // parser.cc: from the loosest binding to the tightest
  ExprId expression();
  ExprId binary(int level);
  ExprId chain(int level);
  ExprId unary();
  ExprId member();
  Head primary();
  ExprId literal(bool negative);
  ExprId list();
  ExprId map();
  ExprId index(ExprId operand);

  // parse_name.cc
  Head name(bool absolute);
  ExprId resolve(const Head& head);
  std::optional<ExprId> local(const Head& head);
  std::optional<ExprId> known_name(const Head& head, std::size_t parts);
  ExprId selects(ExprId operand, const Head& head, std::size_t from);
  std::string joined(const Head& head, std::size_t parts) const;
  bool is_variable(const Head& head) const;

  // parse_call.cc
  ExprId global_call(const Lexeme& name);
  ExprId member_call(const Head& head, const Lexeme& name);
  ExprId call(std::string_view name, Style style, std::uint32_t position,
              std::vector<ExprId> arguments);
  std::vector<ExprId> arguments();
  ExprId has(std::uint32_t position);

  // parse_macro.cc
  std::optional<ExprId> macro(ExprId range, const Lexeme& name);
  bool is_two_variable_form();
  ExprId comprehension(Op op, ExprId range, const Lexeme& name, bool two, std::size_t most);
  ExprId bind(std::uint32_t position);
  Lexeme variable();

  void advance();
  bool at(std::string_view symbol) const {
    return next_.kind == Token::Symbol && next_.text == symbol;
  }
  bool take(std::string_view symbol);
  void expect(std::string_view symbol);
  ExprId fail(std::uint32_t position, std::string message);
  bool failed() const { return failed_; }
  ExprId add(Op op, std::uint32_t position, std::span<const ExprId> operands,
             std::uint32_t data = 0, std::uint8_t flags = 0);

  Lexer lexer_;
  Lexeme next_;
  std::span<const std::string_view> variables_;
  Dialect dialect_;
  std::vector<bool> used_;
  std::vector<Local> locals_;
  std::uint32_t slots_;
  std::uint32_t nesting_ = 0;
  Emitter emitter_;
  CompileError error_;
  bool failed_ = false;
};

/// The variables of a macro, known while its body is read.
class Parser::Scope {
 public:
  explicit Scope(Parser& parser) : parser_(parser), locals_(parser.locals_.size()) {}
  ~Scope() { parser_.locals_.resize(locals_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Slots are by depth, so that neighbours share them and nested macros do not.
  std::uint32_t declare(std::string_view name) {
    const auto slot =
        static_cast<std::uint32_t>(parser_.variables_.size() + parser_.locals_.size());
    parser_.locals_.push_back({name, slot});
    if (slot >= parser_.slots_) parser_.slots_ = slot + 1;
    return slot;
  }

 private:
  Parser& parser_;
  std::size_t locals_;
};

}  // namespace trainyard::cel
