#include "cel/evaluate.h"

#include <algorithm>
#include <array>

#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/operators.h"

namespace trainyard::cel {

Value evaluate(const Program& program, std::span<const Value> variables, Context& context) {
  const Value result = Evaluator(program, variables, context).run();
  // No operator absorbs this one: what would come out depends on where it happened.
  return context.exhausted() ? out_of_budget() : result;
}

Evaluator::Evaluator(const Program& program, std::span<const Value> variables, Context& context)
    : program_(program), context_(context), slots_(context.slots) {
  slots_.resize(program.slots());
  std::ranges::copy(variables.first(std::min(variables.size(), slots_.size())), slots_.begin());
}

Value Evaluator::eval(ExprId id) {
  if (!context_.spend(1)) return out_of_budget();
  return dispatch(program_[id]);
}

Value Evaluator::dispatch(const Expr& e) {
  switch (e.op) {
    case Op::Literal:
      return program_.constant(e);
    case Op::Variable:
      return slots_[e.data];
    case Op::Select:
      return select(e);
    case Op::OptionalSelect:
      return optional_select(e);
    case Op::Has:
      return has(e);
    case Op::Index:
      return index(e);
    case Op::OptionalIndex:
      return optional_index(e);
    case Op::Call:
      return call(e);
    case Op::List:
      return list(e);
    case Op::Map:
      return map(e);
    case Op::Not: {
      const Value a = operand(e, 0);
      if (a.is_error()) return a;
      return a.is(Type::Bool) ? Value::boolean(!a.as_bool()) : no_overload();
    }
    case Op::Negate: {
      const Value a = operand(e, 0);
      return a.is_error() ? a : negate(a);
    }
    case Op::And:
      return logic(e, false);
    case Op::Or:
      return logic(e, true);
    case Op::Choose:
      return choose(e);
    case Op::All:
      return quantifier(e, false);
    case Op::Exists:
      return quantifier(e, true);
    case Op::ExistsOne:
      return exists_one(e);
    case Op::Filter:
      return filter(e);
    case Op::Transform:
      return transform(e);
    case Op::TransformMap:
    case Op::TransformEntries:
      return transform_map(e);
    case Op::OptMap:
    case Op::OptFlatMap:
      return opt_map(e);
    case Op::SortBy:
      return sort_by(e);
    case Op::Bind:
      slots_[e.data] = operand(e, 0);
      return operand(e, 1);
    default:
      return binary(e);
  }
}

/// `&&` and `||`: one operand that decides does so whatever the others are, errors among them.
Value Evaluator::logic(const Expr& e, bool absorbing) {
  Value result = Value::boolean(!absorbing);
  for (ExprId id : program_.operands(e)) {
    const Value value = eval(id);
    if (value.is(Type::Bool)) {
      if (value.as_bool() == absorbing) return value;
    } else if (!result.is_error()) {
      result = value.is_error() ? value : no_overload();
    }
  }
  return result;
}

Value Evaluator::choose(const Expr& e) {
  const Value condition = operand(e, 0);
  if (condition.is_error()) return condition;
  if (!condition.is(Type::Bool)) return no_overload();
  return operand(e, condition.as_bool() ? 1 : 2);
}

Value Evaluator::binary(const Expr& e) {
  const Value a = operand(e, 0);
  if (a.is_error()) return a;
  const Value b = operand(e, 1);
  return b.is_error() ? b : apply(e.op, a, b, context_);
}

Value Evaluator::call(const Expr& e) {
  constexpr std::size_t kMostArguments = 8;
  std::array<Value, kMostArguments> arguments;
  for (std::size_t i = 0; i < e.count; ++i) {
    arguments[i] = operand(e, i);
    if (arguments[i].is_error()) return arguments[i];
  }
  for (const Function* function : program_.overloads(e)) {
    if (function->receiver != Type::Error && !arguments[0].is(function->receiver)) continue;
    return function->body(context_, std::span(arguments).first(e.count));
  }
  return no_overload();
}

}  // namespace trainyard::cel
