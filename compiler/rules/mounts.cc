#include "rules/mounts.h"

#include <algorithm>
#include <string>

#include "rules/context.h"
#include "rules/launch.h"
#include "rules/paths.h"

namespace trainyard {

const VolumeMount* mount_of(const Role& role, std::string_view path) {
  const VolumeMount* found = nullptr;
  std::size_t longest = 0;
  for (const VolumeMount& mount : role.mounts) {
    const std::string directory = plain_path(mount.path);
    if (!is_within(path, directory) || directory.size() < longest) continue;
    longest = directory.size();
    found = &mount;
  }
  return found;
}

const Volume* volume_of(const Role& role, std::string_view name) {
  const auto found = std::ranges::find(role.volumes, name, &Volume::name);
  return found == role.volumes.end() ? nullptr : &*found;
}

std::string_view source_of(const Plan& plan, const Role& role, std::string_view volume) {
  const Volume* const known = volume_of(role, volume);
  if (known == nullptr) return {};
  for (NodeId entry : plan.tree.children(known->fragment)) {
    if (plan.tree[entry].key != "name") return plan.tree[entry].key;
  }
  return {};
}

bool on_several_nodes(const RuleContext& context) {
  // A pod with nothing but mpirun has no use for storage.
  const auto mounts = [&](const RoleInput& input) { return !runs_mpirun_only(context, input); };
  return *context.plan.multi_node || std::ranges::count_if(context.roles, mounts) > 1;
}

bool mounts(const Tree& tree, NodeId node, std::string_view path) {
  if (tree[node].key == "mountPath" && is_within(path, plain_path(tree[node].text))) return true;
  for (NodeId child : tree.children(node)) {
    if (mounts(tree, child, path)) return true;
  }
  return false;
}

}  // namespace trainyard
