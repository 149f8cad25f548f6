#include "cel/evaluation_context.h"

#include "cel/regexes.h"

namespace trainyard::cel {

Context::Context(FormatCheck check) : formats_(check), regexes_(std::make_unique<Regexes>()) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

Value out_of_budget() {
  return Value::error("the expression takes too many steps");
}

}  // namespace trainyard::cel
