#pragma once

#include <initializer_list>
#include <vector>

#include "cel/program.h"

namespace trainyard::cel {

/// Writes a Program, operands before what they are operands of.
class Emitter {
 public:
  ExprId add(Op op, std::uint32_t position, std::span<const ExprId> operands,
             std::uint32_t data = 0, std::uint8_t flags = 0);
  ExprId add(Op op, std::uint32_t position, std::initializer_list<ExprId> operands,
             std::uint32_t data = 0, std::uint8_t flags = 0) {
    return add(op, position, std::span(operands.begin(), operands.size()), data, flags);
  }
  ExprId literal(std::uint32_t position, const Value& value);
  ExprId select(Op op, std::uint32_t position, ExprId operand, std::string_view name);
  ExprId call(std::uint32_t position, std::vector<const Function*> overloads,
              std::span<const ExprId> arguments);
  std::uint32_t optional_items(const std::vector<bool>& flags);

  const Expr& operator[](ExprId id) const { return program_.exprs_[id]; }
  const Program& program() const { return program_; }
  /// How many levels lie below an expression: evaluating it needs as many frames.
  std::uint32_t depth(ExprId id) const { return depths_[id]; }
  Heap& texts() { return program_.texts_; }

  Program finish(ExprId root, std::size_t slots, std::vector<bool> used);

 private:
  Program program_;
  std::vector<std::uint32_t> depths_;
};

}  // namespace trainyard::cel
