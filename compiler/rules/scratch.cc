#include <algorithm>
#include <string_view>

#include "rules/mounts.h"
#include "rules/paths.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// A directory that has to be writable, and the volume that makes it so.
struct Scratch {
  std::string_view volume;
  std::string_view path;
};

bool has_place(const RuleContext& context, const RoleInput& input, std::string_view path) {
  const auto& storage = context.of(input, &RoleFields::storage);
  const bool is_mounted = std::ranges::any_of(
      *storage, [&](const auto& each) { return plain_path(*each.value->mount_path) == path; });
  const Shape& pod = context.spec.pod;
  return is_mounted || plain_path(*context.spec.files->mount_path) == path ||
         (pod && mounts(context.tree_of(pod.span), pod.node, path));
}

void add(RuleContext& context, const Scratch& scratch, OriginId why) {
  for (const RoleInput& input : context.roles) {
    if (has_place(context, input, scratch.path)) continue;
    context.add_volume(*input.role, scratch.volume, "emptyDir", context.tree().add_map(why), why);
    VolumeMount mount;
    mount.volume = scratch.volume;
    mount.path = scratch.path;
    mount.origin = why;
    context.add_mount(*input.role, mount);
  }
}

void run(RuleContext& context) {
  const Flag& read_only = context.spec.security->read_only_root_filesystem;
  if (read_only.value_or(false) && framework_of(context) == Framework::Pytorch) {
    add(context, {"temporary-files", "/tmp"}, context.because({context.from(read_only)}));
  }
  const std::string_view files = context.in.target->launcher_files;
  if (!files.empty()) add(context, {"launcher-files", files}, context.because({}));
}

}  // namespace

extern const Rule scratch_rule{
    "scratch",
    Rule::Phase::Infer,
    "With a read-only root, PyTorch has a volume for temporary files and for caches; a launcher of "
    "the system has one for its files.",
    "torchrun ends without a temporary folder, and downloads and compiled kernels need a home "
    "(pytorch/pytorch torch/distributed/elastic/multiprocessing/api.py; kubeflow/mcp-server issue "
    "33). The agent of HyperPod makes a directory that only root may make.",
    "spec.security spec.framework spec.pod spec.storage spec.files target.launch",
    "role.volumes role.mounts",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
