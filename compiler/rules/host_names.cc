#include "rules/host_names.h"

namespace trainyard {

std::string expanded(std::string_view pattern, std::string_view hole, std::string_view value) {
  std::string result(pattern);
  for (std::size_t at = result.find(hole); at != std::string::npos; at = result.find(hole, at)) {
    result.replace(at, hole.size(), value);
    at += value.size();
  }
  return result;
}

bool numbers_several_roles(const RuleContext& context) {
  return context.plan.roles.size() > 1 && !has_programs(context.spec) &&
         !context.in.target->rank_field_of_several_roles.empty();
}

bool knows_all_hosts(const RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  const bool several = numbers_several_roles(context);
  return !(several ? target.host_of_several_roles : target.host).empty() &&
         !index_field(context).empty();
}

std::string host_of(const RuleContext& context, const Role& role, std::int64_t index) {
  const TargetFacts& target = *context.in.target;
  const bool several = numbers_several_roles(context);
  std::string host =
      expanded(several ? target.host_of_several_roles : target.host, "{job}", *context.plan.name);
  host = expanded(host, "{role}", role.name);
  return expanded(host, "{index}", std::to_string(index));
}

std::string_view index_field(const RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  return numbers_several_roles(context) ? target.index_field_of_several_roles : target.rank_field;
}

}  // namespace trainyard
