#include "rules/claims.h"

#include <algorithm>

#include "rules/program_start.h"

namespace trainyard {

const Located<std::vector<Located<AccessMode>>>* known_access_modes(const RuleContext& context,
                                                                    std::string_view claim) {
  if (context.in.cluster == nullptr) return nullptr;
  for (const auto& known : *context.in.cluster->spec->claims) {
    const bool same_namespace = !known->ns || *known->ns == *context.plan.ns;
    if (*known->name == claim && same_namespace && known->access_modes) return &known->access_modes;
  }
  return nullptr;
}

const Text& storage_class_of(const RuleContext& context, const Text& own) {
  if (own || context.in.cluster == nullptr) return own;
  return context.in.cluster->spec->defaults->storage_class_name;
}

bool on_several_nodes(const RuleContext& context) {
  // A pod with nothing but mpirun has no use for storage.
  const auto mounts = [&](const RoleInput& input) { return !runs_mpirun_only(context, input); };
  return *context.plan.multi_node || std::ranges::count_if(context.roles, mounts) > 1;
}

AccessMode usual_access_mode(const RuleContext& context) {
  return on_several_nodes(context) ? AccessMode::ReadWriteMany : AccessMode::ReadWriteOnce;
}

}  // namespace trainyard
