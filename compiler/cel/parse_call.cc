#include "cel/parser.h"

namespace trainyard::cel {

ExprId Parser::global_call(const Lexeme& name) {
  if (name.text == "has") return has(name.position);
  return call(name.text, Style::Global, name.position, arguments());
}

/// `a.b.f(x)`: a function that is called `a.b.f`, a macro, or the member `f` of `a.b`.
ExprId Parser::member_call(const Head& head, const Lexeme& name) {
  if (!head.id && !is_variable(head)) {
    const bool is_bind = head.names.size() == 1 && head.names[0].text == "cel" &&
                         name.text == "bind" && dialect_.bindings;
    if (is_bind) return bind(name.position);
    const std::string full = joined(head, head.names.size()) + "." + std::string(name.text);
    if (is_function(full, Style::Global)) {
      return call(full, Style::Global, name.position, arguments());
    }
  }
  const ExprId receiver = resolve(head);
  if (failed()) return 0;
  if (const auto expanded = macro(receiver, name)) return *expanded;
  std::vector<ExprId> all = arguments();
  all.insert(all.begin(), receiver);
  return call(name.text, Style::Member, name.position, std::move(all));
}

ExprId Parser::call(std::string_view name, Style style, std::uint32_t position,
                    std::vector<ExprId> arguments) {
  if (failed()) return 0;
  std::vector<const Function*> overloads = find_functions(name, style, arguments.size());
  if (overloads.empty()) {
    const std::string shown = "`" + std::string(name) + "`";
    return fail(position, is_function(name, style)
                              ? shown + " does not take this number of arguments"
                              : "there is no function " + shown);
  }
  return emitter_.call(position, std::move(overloads), arguments);
}

std::vector<ExprId> Parser::arguments() {
  std::vector<ExprId> result;
  expect("(");
  while (!failed() && !at(")")) {
    result.push_back(expression());
    if (!take(",")) break;
  }
  expect(")");
  return result;
}

ExprId Parser::has(std::uint32_t position) {
  const std::vector<ExprId> operands = arguments();
  if (failed()) return 0;
  if (operands.size() != 1 || emitter_[operands[0]].op != Op::Select) {
    return fail(position, "`has` wants one field, as in `has(a.b)`");
  }
  const Expr selected = emitter_[operands[0]];
  return add(Op::Has, position, emitter_.program().operands(selected), selected.data);
}

}  // namespace trainyard::cel
