#include <algorithm>

#include "cel/parser.h"

namespace trainyard::cel {

Parser::Head Parser::name(bool absolute) {
  const Lexeme word = next_;
  if (word.kind != Token::Identifier) {
    return {fail(word.position, "a name is wanted here"), {}, false};
  }
  advance();
  if (at("(")) return {global_call(word), {}, false};
  if (!absolute) {
    if (word.text == "true")
      return {emitter_.literal(word.position, Value::boolean(true)), {}, false};
    if (word.text == "false") {
      return {emitter_.literal(word.position, Value::boolean(false)), {}, false};
    }
    if (word.text == "null") return {emitter_.literal(word.position, Value::null()), {}, false};
  }
  if (is_reserved(word.text)) {
    return {fail(word.position, "`" + std::string(word.text) + "` is a reserved word"), {}, false};
  }
  return {std::nullopt, {word}, absolute};
}

std::string Parser::joined(const Head& head, std::size_t parts) const {
  std::string text;
  for (std::size_t i = 0; i < parts; ++i) {
    text.append(i > 0 ? "." : "").append(head.names[i].text);
  }
  return text;
}

/// What the names mean: a local variable, else the longest front part that is a variable or a type.
ExprId Parser::resolve(const Head& head) {
  if (head.id || failed()) return head.id.value_or(0);
  if (const auto found = local(head)) return *found;
  for (std::size_t parts = head.names.size(); parts > 0; --parts) {
    if (const auto found = known_name(head, parts)) return selects(*found, head, parts);
  }
  return fail(head.names[0].position,
              "nothing is called `" + std::string(head.names[0].text) + "`");
}

std::optional<ExprId> Parser::local(const Head& head) {
  if (head.absolute) return std::nullopt;
  for (auto each = locals_.rbegin(); each != locals_.rend(); ++each) {
    if (each->name != head.names[0].text) continue;
    return selects(add(Op::Variable, head.names[0].position, {}, each->slot), head, 1);
  }
  return std::nullopt;
}

std::optional<ExprId> Parser::known_name(const Head& head, std::size_t parts) {
  const std::string name = joined(head, parts);
  const std::uint32_t position = head.names[0].position;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i] != name) continue;
    used_[i] = true;
    return add(Op::Variable, position, {}, static_cast<std::uint32_t>(i));
  }
  if (!is_type_name(name)) return std::nullopt;
  return emitter_.literal(position, Value::type(emitter_.texts().text(name)));
}

ExprId Parser::selects(ExprId operand, const Head& head, std::size_t from) {
  for (std::size_t i = from; i < head.names.size(); ++i) {
    const Lexeme& name = head.names[i];
    operand = emitter_.select(Op::Select, name.position, operand, name.text);
  }
  return operand;
}

bool Parser::is_variable(const Head& head) const {
  const std::string_view name = head.names[0].text;
  return std::ranges::find(locals_, name, &Local::name) != locals_.end() ||
         std::ranges::find(variables_, name) != variables_.end();
}

}  // namespace trainyard::cel
