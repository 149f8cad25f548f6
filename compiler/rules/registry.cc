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

void run_rules(RuleContext& context) {
  for (const Rule* rule : kRules) {
    context.rule = rule->name;
    rule->run(context);
  }
}

}  // namespace trainyard
