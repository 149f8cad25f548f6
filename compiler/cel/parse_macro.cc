#include <algorithm>
#include <array>

#include "cel/parser.h"

namespace trainyard::cel {
namespace {

/// How a macro's arguments look behind its variables.
struct Macro {
  std::string_view name;
  Op op;
  std::uint8_t variables;  // 0: one or two
  std::uint8_t most;       // expressions: with two, the first is a condition
};

constexpr auto kMacros = std::to_array<Macro>({
    {"all", Op::All, 0, 1},
    {"exists", Op::Exists, 0, 1},
    {"exists_one", Op::ExistsOne, 0, 1},
    {"existsOne", Op::ExistsOne, 0, 1},
    {"filter", Op::Filter, 1, 1},
    {"map", Op::Transform, 1, 2},
    {"transformList", Op::Transform, 2, 2},
    {"transformMap", Op::TransformMap, 2, 2},
    {"transformMapEntry", Op::TransformEntries, 2, 2},
    {"optMap", Op::OptMap, 1, 1},
    {"optFlatMap", Op::OptFlatMap, 1, 1},
    {"sortBy", Op::SortBy, 1, 1},
});

}  // namespace

std::optional<ExprId> Parser::macro(ExprId range, const Lexeme& name) {
  const auto found = std::ranges::find(kMacros, name.text, &Macro::name);
  if (found == kMacros.end()) return std::nullopt;
  expect("(");
  const bool two = found->variables == 2 || (found->variables == 0 && is_two_variable_form());
  return comprehension(found->op, range, name, two, found->most);
}

/// Whether the second argument is a name and not the last one.
bool Parser::is_two_variable_form() {
  Lexer ahead = lexer_;
  const bool comma = ahead.next().text == ",";
  const bool name = ahead.next().kind == Token::Identifier;
  return comma && name && ahead.next().text == ",";
}

ExprId Parser::comprehension(Op op, ExprId range, const Lexeme& name, bool two, std::size_t most) {
  Scope scope(*this);
  const Lexeme first = variable();
  const Lexeme second = two ? variable() : Lexeme{};
  if (failed()) return 0;
  if (two && first.text == second.text) {
    return fail(second.position, "the two variables of a macro want different names");
  }
  const std::uint32_t slot = scope.declare(first.text);
  if (two) scope.declare(second.text);
  std::vector<ExprId> operands = {range, expression()};
  if (most == 2 && take(",")) operands.push_back(expression());
  expect(")");
  if (failed()) return 0;
  std::uint8_t flags = two ? kTwoVariables : 0;
  if (operands.size() == 3) flags |= kHasCondition;
  return add(op, name.position, operands, slot, flags);
}

/// `cel.bind(x, a, b)`, from the bracket on.
ExprId Parser::bind(std::uint32_t position) {
  expect("(");
  const Lexeme name = variable();
  const ExprId value = expression();
  expect(",");
  if (failed()) return 0;
  Scope scope(*this);
  const std::uint32_t slot = scope.declare(name.text);
  const ExprId body = expression();
  expect(")");
  if (failed()) return 0;
  return add(Op::Bind, position, std::array{value, body}, slot);
}

/// A variable of a macro and the comma behind it.
Lexeme Parser::variable() {
  const Lexeme name = next_;
  const bool constant = name.text == "true" || name.text == "false" || name.text == "null";
  if (name.kind != Token::Identifier || constant || is_reserved(name.text)) {
    fail(name.position, "a macro wants the name of a variable here");
    return name;
  }
  advance();
  expect(",");
  return name;
}

}  // namespace trainyard::cel
