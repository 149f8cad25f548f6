#include "rules/rerun.h"

#include <algorithm>

namespace trainyard {
namespace {

bool can_have_new_name(const TargetFacts& target) {
  return std::ranges::none_of(target.cannot, [](const Inexpressible& limit) {
    return limit.field == "spec.rerun" && limit.value == spelling(Rerun::NewName);
  });
}

}  // namespace

RerunChoice rerun_of(const RuleContext& context) {
  const auto& stated = context.spec.rerun;
  if (stated) return {*stated, context.from(stated)};
  if (context.in.cluster == nullptr) return {};
  const Located<GitOpsTool>& tool = context.in.cluster->spec->gitops->tool;
  if (!tool || !can_have_new_name(*context.in.target)) return {};
  return {Rerun::NewName, context.from(tool)};
}

}  // namespace trainyard
