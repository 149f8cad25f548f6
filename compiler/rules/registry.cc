#include "rules/role_program.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {

#define TRAINYARD_RULE(name) extern const Rule name;
#include "rules/rules.def"
#undef TRAINYARD_RULE

namespace {

constexpr const Rule* kRules[] = {
#define TRAINYARD_RULE(name) &name,
#include "rules/rules.def"
#undef TRAINYARD_RULE
};

}  // namespace

std::span<const Rule* const> all_rules() {
  return kRules;
}

const Rule* find_rule(std::string_view name) {
  for (const Rule* rule : kRules) {
    if (rule->name == name) return rule;
  }
  return nullptr;
}

void run_rule(const Rule& rule, RuleContext& context) {
  context.rule = rule.name;
  if (rule.unit == Rule::Unit::Job || context.programs.empty()) return rule.run(context);
  for (const auto& program : context.programs) program->run(rule);
}

void run_rules(RuleContext& context) {
  for (const Rule* rule : kRules) run_rule(*rule, context);
}

}  // namespace trainyard
