#include "admission/expressions.h"

#include <string>

#include "cel/type_check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Sort = cel::StaticType::Sort;

/// Where in the text something is, in words; nothing for the beginning of a short one.
std::string place_of(std::string_view text, std::uint32_t position) {
  if (text.size() < 24 && position == 0) return {};
  return ", at character " + std::to_string(position + 1);
}

bool comes_to(cel::TypeRef type, Outcome wanted) {
  if (type->is(Sort::Unknown) || wanted == Outcome::Any) return true;
  switch (wanted) {
    case Outcome::Bool:
      return type->is(cel::Type::Bool);
    case Outcome::BoolOrAny:
      return type->is(cel::Type::Bool) || type->is(Sort::Dynamic);
    case Outcome::String:
      return type->is(cel::Type::String);
    case Outcome::StringOrNull:
      return type->is(cel::Type::String) || type->is(cel::Type::Null);
    default:
      return true;
  }
}

void wrong_type(View expression, const cel::TypeFault& fault, CheckContext& context) {
  Diagnostic& found =
      context.refuse(expression, "the expression does not compile: " + fault.message +
                                     place_of(expression->text, fault.position));
  if (fault.name.empty()) return;
  const std::vector<std::string_view> fields(fault.fields.begin(), fault.fields.end());
  if (const auto near = suggest(fault.name, fields)) {
    found.note("did you mean " + shown(*near) + "?");
  } else if (!fields.empty()) {
    found.note("there is " + listed(fault.fields, "and"));
  }
}

}  // namespace

cel::TypeRef check_expression(View expression, ExpressionScope& scope, Outcome wanted,
                              CheckContext& context) {
  const std::string_view text = string_of(expression);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return scope.types.unknown();
  const cel::Compiled compiled = cel::compile(text, scope.names(), scope.dialect);
  if (!compiled.program) {
    context.refuse(expression, "the expression does not compile: " + compiled.error.message +
                                   place_of(text, compiled.error.position));
    return scope.types.unknown();
  }
  const cel::Typed typed = cel::check_types(*compiled.program, scope.types_of_names(), scope.types);
  if (typed.fault) {
    wrong_type(expression, *typed.fault, context);
  } else if (!comes_to(typed.type, wanted)) {
    const bool bool_wanted = wanted == Outcome::Bool || wanted == Outcome::BoolOrAny;
    context.refuse(expression, "the expression comes to `" + cel::type_text(typed.type) +
                                   "`, wanted `" + (bool_wanted ? "bool" : "string") + "`");
  }
  return typed.type;
}

}  // namespace trainyard
