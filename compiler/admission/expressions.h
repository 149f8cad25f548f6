#pragma once

#include <string_view>
#include <vector>

#include "cel/program.h"
#include "cel/types.h"
#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// What Kubernetes offers to expressions (CEL) at a place: variables with their types.
class ExpressionScope {
 public:
  cel::Types types;
  cel::Dialect dialect;

  /// `name` must outlive this.
  void declare(std::string_view name, cel::TypeRef type) {
    names_.push_back(name);
    of_names_.push_back(type);
  }
  std::span<const std::string_view> names() const { return names_; }
  std::span<const cel::TypeRef> types_of_names() const { return of_names_; }

  // What declarations are made of.
  cel::TypeRef text() { return types.simple(cel::Type::String); }
  cel::TypeRef boolean() { return types.simple(cel::Type::Bool); }
  cel::TypeRef integer() { return types.simple(cel::Type::Int); }
  cel::TypeRef time() { return types.simple(cel::Type::Timestamp); }

 private:
  std::vector<std::string_view> names_;
  std::vector<cel::TypeRef> of_names_;
};

/// What an expression is to come to.
enum class Outcome : std::uint8_t {
  Bool,
  BoolOrAny,  // what is known only when it runs may be a bool
  String,
  StringOrNull,
  Any,
};

/// An expression that the API server compiles: reports what is wrong with it. Its type; the
/// unknown type when it does not compile, or is no text.
cel::TypeRef check_expression(View expression, ExpressionScope& scope, Outcome wanted,
                              CheckContext& context);

}  // namespace trainyard
