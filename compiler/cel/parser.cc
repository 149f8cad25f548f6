#include "cel/parser.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace trainyard::cel {
namespace {

constexpr std::uint32_t kMostNesting = 200;
constexpr std::uint32_t kMostDepth = 500;
constexpr std::size_t kMostOperands = 0xffff;

struct BinaryOperator {
  std::string_view symbol;
  Op op;
  int level;
};
constexpr int kOrLevel = 0;
constexpr int kAndLevel = 1;
constexpr int kLastLevel = 4;
constexpr auto kBinaryOperators = std::to_array<BinaryOperator>({
    {"||", Op::Or, kOrLevel},
    {"&&", Op::And, kAndLevel},
    {"==", Op::Equal, 2},
    {"!=", Op::NotEqual, 2},
    {"<", Op::Less, 2},
    {"<=", Op::LessEqual, 2},
    {">", Op::Greater, 2},
    {">=", Op::GreaterEqual, 2},
    {"in", Op::In, 2},
    {"+", Op::Add, 3},
    {"-", Op::Subtract, 3},
    {"*", Op::Multiply, kLastLevel},
    {"/", Op::Divide, kLastLevel},
    {"%", Op::Remainder, kLastLevel},
});

const BinaryOperator* operator_of(const Lexeme& lexeme, int level) {
  if (lexeme.kind != Token::Symbol) return nullptr;
  for (const BinaryOperator& each : kBinaryOperators) {
    if (each.level == level && each.symbol == lexeme.text) return &each;
  }
  return nullptr;
}

template <class T>
bool read_whole(std::string_view digits, int base, T& value) {
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return fault == std::errc() && end == digits.data() + digits.size();
}

bool read_natural(std::string_view text, std::uint64_t& value) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  return read_whole(hex ? text.substr(2) : text, hex ? 16 : 10, value);
}

/// What is too small for a double is zero.
bool read_double(std::string_view text, double& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool small = text.find("e-") != text.npos || text.find("E-") != text.npos;
  if (fault == std::errc::result_out_of_range && small)
    value = 0;
  else if (fault != std::errc())
    return false;
  return end == text.data() + text.size();
}

std::string found(const Lexeme& lexeme) {
  if (lexeme.kind == Token::Broken) return std::string(lexeme.text);
  if (lexeme.kind == Token::End) return "the end";
  return "`" + std::string(lexeme.text) + "`";
}

}  // namespace

Compiled compile(std::string_view text, std::span<const std::string_view> variables,
                 Dialect dialect) {
  return Parser(text, variables, dialect).run();
}

Parser::Parser(std::string_view text, std::span<const std::string_view> variables, Dialect dialect)
    : lexer_(text),
      variables_(variables),
      dialect_(dialect),
      used_(variables.size()),
      slots_(static_cast<std::uint32_t>(variables.size())) {}

Compiled Parser::run() {
  advance();
  const ExprId root = expression();
  if (!failed() && next_.kind != Token::End) {
    fail(next_.position, "found " + found(next_) + " behind the expression");
  }
  if (!failed() && emitter_.depth(root) > kMostDepth) fail(0, "the expression is nested too deep");
  Compiled result;
  if (failed()) {
    result.error = std::move(error_);
  } else {
    result.program = emitter_.finish(root, slots_, std::move(used_));
  }
  return result;
}

ExprId Parser::expression() {
  if (++nesting_ > kMostNesting) return fail(next_.position, "the expression is nested too deep");
  ExprId result = binary(kOrLevel);
  const std::uint32_t position = next_.position;
  if (!failed() && take("?")) {
    const ExprId yes = binary(kOrLevel);
    expect(":");
    if (failed()) return 0;
    const ExprId no = expression();
    if (failed()) return 0;
    result = add(Op::Choose, position, std::array{result, yes, no});
  }
  --nesting_;
  return result;
}

ExprId Parser::binary(int level) {
  if (level > kLastLevel) return unary();
  if (level <= kAndLevel) return chain(level);
  ExprId left = binary(level + 1);
  while (const BinaryOperator* found = failed() ? nullptr : operator_of(next_, level)) {
    const std::uint32_t position = next_.position;
    advance();
    const ExprId right = binary(level + 1);
    if (failed()) return 0;
    left = add(found->op, position, std::array{left, right});
  }
  return left;
}

/// `a && b && c` is one expression of three operands: such chains get long, and need no depth.
ExprId Parser::chain(int level) {
  std::vector<ExprId> operands = {binary(level + 1)};
  const std::uint32_t position = next_.position;
  while (!failed() && operator_of(next_, level) != nullptr) {
    advance();
    operands.push_back(binary(level + 1));
  }
  if (failed()) return 0;
  if (operands.size() == 1) return operands[0];
  return add(level == kOrLevel ? Op::Or : Op::And, position, operands);
}

ExprId Parser::unary() {
  const bool is_not = at("!");
  if (!is_not && !at("-")) return member();
  const std::uint32_t position = next_.position;
  std::uint32_t count = 0;
  for (; at(is_not ? "!" : "-"); ++count) advance();
  if (count > kMostDepth) return fail(position, "the expression is nested too deep");
  const bool number = next_.kind == Token::Int || next_.kind == Token::Double;
  if (!is_not && number && count == 1) return literal(true);
  ExprId result = member();
  for (; count > 0 && !failed(); --count) {
    result = add(is_not ? Op::Not : Op::Negate, position, std::array{result});
  }
  return result;
}

ExprId Parser::member() {
  if (++nesting_ > kMostNesting) return fail(next_.position, "the expression is nested too deep");
  Head head = primary();
  while (!failed()) {
    const std::uint32_t position = next_.position;
    if (take(".")) {
      const bool optional = take("?");
      const Lexeme name = next_;
      if (name.kind != Token::Identifier) {
        return fail(name.position, "found " + found(name) + " where a name is wanted");
      }
      advance();
      if (optional) {
        head = {emitter_.select(Op::OptionalSelect, position, resolve(head), name.text), {}, false};
      } else if (at("(")) {
        head = {member_call(head, name), {}, false};
      } else if (head.id) {
        head = {emitter_.select(Op::Select, position, *head.id, name.text), {}, false};
      } else {
        head.names.push_back(name);
      }
    } else if (at("[")) {
      head = {index(resolve(head)), {}, false};
    } else if (at("{") && !head.id) {
      return fail(position, "messages cannot be made here");
    } else {
      break;
    }
  }
  --nesting_;
  return failed() ? 0 : resolve(head);
}

ExprId Parser::index(ExprId operand) {
  const std::uint32_t position = next_.position;
  expect("[");
  const bool optional = take("?");
  const ExprId key = expression();
  expect("]");
  if (failed()) return 0;
  return add(optional ? Op::OptionalIndex : Op::Index, position, std::array{operand, key});
}

Parser::Head Parser::primary() {
  switch (next_.kind) {
    case Token::Int:
    case Token::Uint:
    case Token::Double:
    case Token::String:
    case Token::Bytes:
      return {literal(false), {}, false};
    case Token::Identifier:
      return name(false);
    default:
      break;
  }
  if (take("(")) {
    const ExprId inner = expression();
    expect(")");
    return {inner, {}, false};
  }
  if (at("[")) return {list(), {}, false};
  if (at("{")) return {map(), {}, false};
  if (take(".")) return name(true);
  return {fail(next_.position, "found " + found(next_) + " where a value is wanted"), {}, false};
}

ExprId Parser::literal(bool negative) {
  const Lexeme lexeme = next_;
  advance();
  std::string text;
  std::uint64_t natural = 0;
  double number = 0;
  Value value;
  switch (lexeme.kind) {
    case Token::Int: {
      const std::uint64_t limit = negative ? std::uint64_t{1} << 63 : (std::uint64_t{1} << 63) - 1;
      if (!read_natural(lexeme.text, natural) || natural > limit) {
        return fail(lexeme.position, found(lexeme) + " does not fit into 64 bits");
      }
      value = Value::integer(static_cast<std::int64_t>(negative ? 0 - natural : natural));
      break;
    }
    case Token::Uint:
      if (!read_natural(lexeme.text.substr(0, lexeme.text.size() - 1), natural)) {
        return fail(lexeme.position, found(lexeme) + " does not fit into 64 bits");
      }
      value = Value::unsigned_integer(natural);
      break;
    case Token::Double:
      if (!read_double(lexeme.text, number)) {
        return fail(lexeme.position, found(lexeme) + " is out of range");
      }
      value = Value::number(negative ? -number : number);
      break;
    default: {
      const bool bytes = lexeme.kind == Token::Bytes;
      if (!unquote(lexeme.text, bytes, text)) return fail(lexeme.position, "found " + text);
      const std::string_view kept = emitter_.texts().text(text);
      value = bytes ? Value::bytes(kept) : Value::string(kept);
    }
  }
  return failed() ? 0 : emitter_.literal(lexeme.position, value);
}

ExprId Parser::list() {
  const std::uint32_t position = next_.position;
  expect("[");
  std::vector<ExprId> items;
  std::vector<bool> optional;
  while (!failed() && !at("]")) {
    optional.push_back(take("?"));
    items.push_back(expression());
    if (!take(",")) break;
  }
  expect("]");
  if (failed()) return 0;
  const bool some = std::ranges::find(optional, true) != optional.end();
  return add(Op::List, position, items, some ? emitter_.optional_items(optional) : 0,
             some ? kOptionalItems : 0);
}

ExprId Parser::map() {
  const std::uint32_t position = next_.position;
  expect("{");
  std::vector<ExprId> parts;
  std::vector<bool> optional;
  while (!failed() && !at("}")) {
    optional.push_back(take("?"));
    parts.push_back(expression());
    expect(":");
    if (failed()) return 0;
    parts.push_back(expression());
    if (!take(",")) break;
  }
  expect("}");
  if (failed()) return 0;
  const bool some = std::ranges::find(optional, true) != optional.end();
  return add(Op::Map, position, parts, some ? emitter_.optional_items(optional) : 0,
             some ? kOptionalItems : 0);
}

void Parser::advance() {
  next_ = lexer_.next();
  if (next_.kind == Token::Broken) fail(next_.position, "found " + found(next_));
}

bool Parser::take(std::string_view symbol) {
  if (!at(symbol)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view symbol) {
  if (!take(symbol)) {
    fail(next_.position,
         "found " + found(next_) + " where `" + std::string(symbol) + "` is wanted");
  }
}

ExprId Parser::fail(std::uint32_t position, std::string message) {
  if (!failed_) error_ = {std::move(message), position};
  failed_ = true;
  return 0;
}

ExprId Parser::add(Op op, std::uint32_t position, std::span<const ExprId> operands,
                   std::uint32_t data, std::uint8_t flags) {
  if (operands.size() > kMostOperands) return fail(position, "the expression is too long");
  return emitter_.add(op, position, operands, data, flags);
}

}  // namespace trainyard::cel
