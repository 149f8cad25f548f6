#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/heap.h"
#include "cel/value.h"

namespace trainyard::cel {

struct Function;

using ExprId = std::uint32_t;

enum class Op : std::uint8_t {
  Literal,         // the constant `data`
  Variable,        // the slot `data`
  Select,          // e.name
  OptionalSelect,  // e.?name
  Has,             // has(e.name)
  Index,           // e[i]
  OptionalIndex,   // e[?i]
  Call,            // a function; its overloads are `data` and following
  List,            // items; an optional one has a flag
  Map,             // keys and values in turn
  // operators
  Not,
  Negate,
  And,  // of any number of operands
  Or,
  Choose,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  // macros; the first operand is the range, the variables are the slots `data` and, where the flag
  // kTwoVariables is set, `data + 1`
  All,
  Exists,
  ExistsOne,
  Filter,
  Transform,         // `map`, `transformList`: [condition,] result
  TransformMap,      // [condition,] value
  TransformEntries,  // [condition,] map of entries
  OptMap,
  OptFlatMap,
  SortBy,
  Bind,  // cel.bind(x, a, b): `b`, in which the slot `data` is `a`
};

enum ExprFlag : std::uint8_t {
  kTwoVariables = 1,
  kHasCondition = 2,   // the operand after the range decides what is taken
  kOptionalItems = 4,  // some items are optional; `data` is the first of their flags
};

struct Expr {
  Op op = Op::Literal;
  std::uint8_t flags = 0;
  std::uint16_t count = 0;     // of operands
  std::uint32_t first = 0;     // of the operands
  std::uint32_t data = 0;      // what `op` says: a constant, a slot, a name, a function
  std::uint32_t position = 0;  // in the text
};

/// A text that is no expression of CEL, or names what does not exist.
struct CompileError {
  std::string message;
  std::uint32_t position = 0;  // in bytes
};

/// A compiled expression. It keeps no view of its text.
class Program {
 public:
  ExprId root() const { return root_; }
  const Expr& operator[](ExprId id) const { return exprs_[id]; }
  std::span<const ExprId> operands(const Expr& e) const {
    return std::span(operands_).subspan(e.first, e.count);
  }
  ExprId operand(const Expr& e, std::size_t index) const { return operands_[e.first + index]; }
  const Value& constant(const Expr& e) const { return constants_[e.data]; }
  std::string_view name(const Expr& e) const { return names_[e.data]; }
  std::span<const Function* const> overloads(const Expr& e) const { return overloads_[e.data]; }
  /// Of a List or Map with kOptionalItems: whether item `index` is one.
  bool is_optional_item(const Expr& e, std::size_t index) const {
    return optional_items_[e.data + index];
  }
  /// Slots that an evaluation needs: the variables in the order of their declaration, then locals.
  std::size_t slots() const { return slots_; }
  /// Whether the expression mentions a declared variable.
  bool uses(std::size_t variable) const { return used_[variable]; }

 private:
  friend class Emitter;

  ExprId root_ = 0;
  std::vector<Expr> exprs_;
  std::vector<ExprId> operands_;
  std::vector<Value> constants_;
  std::vector<std::string_view> names_;
  std::vector<std::vector<const Function*>> overloads_;
  std::vector<bool> optional_items_;
  std::vector<bool> used_;
  std::size_t slots_ = 0;
  Heap texts_;
};

struct Compiled {
  std::optional<Program> program;
  CompileError error;  // when there is no program
};

/// What some expressions of Kubernetes have and others do not.
struct Dialect {
  bool bindings = false;  // cel.bind
};

/// Compiles an expression over variables of these names (`self`, `oldSelf`).
Compiled compile(std::string_view text, std::span<const std::string_view> variables,
                 Dialect dialect = {});

}  // namespace trainyard::cel
