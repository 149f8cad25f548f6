#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cel/evaluation_context.h"
#include "cel/program.h"

namespace trainyard::cel {

/// One evaluation of a program.
class Evaluator {
 public:
  Evaluator(const Program& program, std::span<const Value> variables, Context& context);

  Value run() { return eval(program_.root()); }

 private:
  // evaluate.cc
  Value eval(ExprId id);
  Value dispatch(const Expr& e);
  Value operand(const Expr& e, std::size_t index) { return eval(program_.operand(e, index)); }
  Value logic(const Expr& e, bool absorbing);
  Value choose(const Expr& e);
  Value binary(const Expr& e);
  Value call(const Expr& e);

  // evaluate_access.cc
  Value select(const Expr& e);
  Value optional_select(const Expr& e);
  Value has(const Expr& e);
  Value index(const Expr& e);
  Value optional_index(const Expr& e);
  Value list(const Expr& e);
  Value map(const Expr& e);
  std::optional<Value> add_optional(const Value& item, std::vector<Value>& items);

  // evaluate_macro.cc
  struct Loop;
  Value quantifier(const Expr& e, bool stops_at);
  Value exists_one(const Expr& e);
  Value filter(const Expr& e);
  Value transform(const Expr& e);
  Value transform_map(const Expr& e);
  Value opt_map(const Expr& e);
  Value sort_by(const Expr& e);
  std::optional<Value> taken(const Expr& e, bool& yes);
  ExprId result_of(const Expr& e) const { return program_.operand(e, e.count - 1U); }

  const Program& program_;
  Context& context_;
  std::vector<Value>& slots_;
};

}  // namespace trainyard::cel
