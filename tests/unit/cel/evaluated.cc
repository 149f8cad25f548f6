#include "unit/cel/evaluated.h"

#include "cel/collections.h"
#include "cel/evaluate.h"
#include "cel/program.h"
#include "cel/text_of.h"

namespace trainyard::testing {
namespace {

std::string items(const cel::Value& list) {
  std::string text;
  for (cel::Walker at(list); at; at.next()) {
    text += (text.empty() ? "" : ", ") + shown(at.value());
  }
  return text;
}

std::string entries(const cel::Value& map) {
  std::string text;
  for (cel::Walker at(map); at; at.next()) {
    text += (text.empty() ? "" : ", ") + shown(at.key()) + ": " + shown(at.value());
  }
  return text;
}

}  // namespace

std::string shown(const cel::Value& value) {
  const std::string quote = "\"";
  switch (value.type()) {
    case cel::Type::Error:
      return "error: " + std::string(value.text());
    case cel::Type::Null:
      return "null";
    case cel::Type::Uint:
      return *cel::text_of(value) + "u";
    case cel::Type::Double: {
      const std::string text = *cel::text_of(value);
      return text.find_first_not_of("-0123456789") == text.npos ? text + ".0" : text;
    }
    case cel::Type::String:
      return quote + std::string(value.text()) + quote;
    case cel::Type::Bytes:
      return "b" + quote + std::string(value.text()) + quote;
    case cel::Type::List:
      return "[" + items(value) + "]";
    case cel::Type::Map:
      return "{" + entries(value) + "}";
    case cel::Type::Optional:
      return value.item() == nullptr ? "none" : "some(" + shown(*value.item()) + ")";
    case cel::Type::Quantity:
      return "quantity " + value.as_quantity().text();
    default:
      return cel::text_of(value).value_or(std::string(cel::type_name(value.type())));
  }
}

std::string evaluated(std::string_view text) {
  return evaluated(text, 1'000'000);
}

std::string evaluated(std::string_view text, std::uint64_t steps) {
  const cel::Compiled compiled = cel::compile(text, {});
  if (!compiled.program) return "compile error: " + compiled.error.message;
  cel::Context context;
  context.set_budget(steps);
  return shown(cel::evaluate(*compiled.program, {}, context));
}

std::string compile_fault(std::string_view text) {
  const cel::Compiled compiled = cel::compile(text, {});
  if (compiled.program) return "";
  return std::to_string(compiled.error.position) + ": " + compiled.error.message;
}

}  // namespace trainyard::testing
