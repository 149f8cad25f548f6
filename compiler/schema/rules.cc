#include "schema/rules.h"

#include <array>
#include <utility>

#include "schema/rule_text.h"

namespace trainyard {
namespace {

constexpr std::array<std::string_view, 2> kVariables = {"self", "oldSelf"};

}  // namespace

std::optional<std::string> rule_fault(std::string_view expression) {
  cel::Compiled compiled = cel::compile(expression, kVariables);
  if (compiled.program) return std::nullopt;
  return std::move(compiled.error.message);
}

CompiledRule compile_rule(const SchemaPack& pack, const SchemaRule& rule) {
  CompiledRule result;
  cel::Compiled compiled = cel::compile(pack.text(rule.rule), kVariables);
  result.rule = std::move(compiled.program);
  result.compares = result.rule && result.rule->uses(1);
  if (rule.message_expression.size != 0) {
    result.message = cel::compile(pack.text(rule.message_expression), kVariables).program;
  }
  return result;
}

Rules::Rules(const SchemaPack& pack) : pack_(pack), context_(check_rule_format), defaults_(pack) {}

const CompiledRule& Rules::get(const SchemaRule& rule) {
  std::unique_ptr<CompiledRule>& slot = compiled_[&rule];
  if (!slot) slot = std::make_unique<CompiledRule>(compile_rule(pack_, rule));
  return *slot;
}

}  // namespace trainyard
