#include "rules/image_user.h"

#include <algorithm>
#include <string_view>

#include "spec/known_images.h"

namespace trainyard {
namespace {

bool names_user(const RuleContext& context, const Shape& pod) {
  if (!pod) return false;
  const View security = View(context.tree_of(pod.span), pod.node)["spec"]["securityContext"];
  return security["runAsUser"] || security["runAsNonRoot"];
}

/// The role's own `pod`, or that of the job.
bool pod_names_user(const RuleContext& context, const Role& role) {
  if (names_user(context, context.spec.pod)) return true;
  for (const RoleInput& input : context.roles) {
    if (input.role == &role && input.own != nullptr) return names_user(context, input.own->pod);
  }
  return false;
}

/// `mpirun --allow-run-as-root` is written for an image that starts as root.
bool starts_as_root(const RuleContext& context) {
  constexpr std::string_view kOption = "--allow-run-as-root";
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    for (const TextList* words : {&run.command, &run.args, &run.launcher_args}) {
      const bool has =
          std::ranges::any_of(**words, [&](const Text& word) { return *word == kOption; });
      if (has) return true;
    }
    if (run.shell && run.shell->find(kOption) != run.shell->npos) return true;
  }
  return false;
}

}  // namespace

const NamespaceInfo* namespace_of_job(const RuleContext& context) {
  if (context.in.cluster == nullptr || !context.plan.ns.is_set) return nullptr;
  for (const auto& known : *context.in.cluster->spec->namespaces) {
    if (*known->name == *context.plan.ns) return &*known;
  }
  return nullptr;
}

bool image_decides_user(const RuleContext& context, const Role& role) {
  const Security& wanted = *context.spec.security;
  if (!role.image.is_set || context.security_level()) return false;
  if (wanted.run_as_user || wanted.run_as_non_root) return false;
  return !pod_names_user(context, role);
}

bool image_needs_baseline(const RuleContext& context, const Role& role) {
  if (!image_decides_user(context, role)) return false;
  const NamespaceInfo* place = namespace_of_job(context);
  if (place != nullptr && place->pod_security &&
      *place->pod_security == SecurityLevel::Restricted) {
    return false;
  }
  const auto image = known_image(*role.image);
  return image ? !image->starts_without_root() : starts_as_root(context);
}

}  // namespace trainyard
