#include "cel/emitter.h"

#include <algorithm>
#include <utility>

namespace trainyard::cel {

ExprId Emitter::add(Op op, std::uint32_t position, std::span<const ExprId> operands,
                    std::uint32_t data, std::uint8_t flags) {
  Expr e;
  e.op = op;
  e.flags = flags;
  e.count = static_cast<std::uint16_t>(operands.size());
  e.first = static_cast<std::uint32_t>(program_.operands_.size());
  e.data = data;
  e.position = position;
  std::uint32_t depth = 0;
  for (ExprId operand : operands) {
    depth = std::max(depth, depths_[operand] + 1);
    program_.operands_.push_back(operand);
  }
  program_.exprs_.push_back(e);
  depths_.push_back(depth);
  return static_cast<ExprId>(program_.exprs_.size() - 1);
}

ExprId Emitter::literal(std::uint32_t position, const Value& value) {
  program_.constants_.push_back(value);
  return add(Op::Literal, position, {}, static_cast<std::uint32_t>(program_.constants_.size() - 1));
}

ExprId Emitter::select(Op op, std::uint32_t position, ExprId operand, std::string_view name) {
  program_.names_.push_back(program_.texts_.text(name));
  return add(op, position, {operand}, static_cast<std::uint32_t>(program_.names_.size() - 1));
}

ExprId Emitter::call(std::uint32_t position, std::vector<const Function*> overloads,
                     std::span<const ExprId> arguments) {
  program_.overloads_.push_back(std::move(overloads));
  return add(Op::Call, position, arguments,
             static_cast<std::uint32_t>(program_.overloads_.size() - 1));
}

std::uint32_t Emitter::optional_items(const std::vector<bool>& flags) {
  const auto first = static_cast<std::uint32_t>(program_.optional_items_.size());
  program_.optional_items_.insert(program_.optional_items_.end(), flags.begin(), flags.end());
  return first;
}

Program Emitter::finish(ExprId root, std::size_t slots, std::vector<bool> used) {
  program_.root_ = root;
  program_.slots_ = slots;
  program_.used_ = std::move(used);
  return std::move(program_);
}

}  // namespace trainyard::cel
