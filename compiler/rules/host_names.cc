#include "rules/host_names.h"

#include "rules/program_start.h"

namespace trainyard {
namespace {

std::string_view host_form(const RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  if (are_programs(context)) return target.programs.host;
  return numbers_several_roles(context) ? target.host_of_several_roles : target.host;
}

}  // namespace

std::string expanded(std::string_view pattern, std::string_view hole, std::string_view value) {
  std::string result(pattern);
  for (std::size_t at = result.find(hole); at != std::string::npos; at = result.find(hole, at)) {
    result.replace(at, hole.size(), value);
    at += value.size();
  }
  return result;
}

bool numbers_several_roles(const RuleContext& context) {
  return context.plan.roles.size() > 1 && !are_programs(context) &&
         !context.in.target->rank_field_of_several_roles.empty();
}

bool knows_all_hosts(const RuleContext& context) {
  return !host_form(context).empty() && !index_field(context).empty();
}

std::string host_in_group(const RuleContext& context, const Role& role, std::string_view group,
                          std::int64_t index) {
  std::string host = expanded(host_form(context), "{job}", *context.plan.name);
  host = expanded(host, "{role}", role.name);
  host = expanded(host, "{group}", group);
  return expanded(host, "{index}", std::to_string(index));
}

std::string host_of(const RuleContext& context, const Role& role, std::int64_t index) {
  const bool several = context.program != nullptr && *role.parts > 1;
  const std::string own = "$(" + std::string(kGroupVariable) + ")";
  return host_in_group(context, role, several ? own : "0", index);
}

std::string_view index_field(const RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  return numbers_several_roles(context) ? target.index_field_of_several_roles : target.rank_field;
}

}  // namespace trainyard
