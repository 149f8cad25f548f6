#include <algorithm>
#include <string_view>

#include "rules/mounts.h"
#include "rules/paths.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kVolume = "temporary-files";
constexpr std::string_view kPath = "/tmp";

bool has_place(const RuleContext& context, const RoleInput& input) {
  const auto& storage = context.of(input, &RoleFields::storage);
  const bool is_mounted = std::ranges::any_of(
      *storage, [](const auto& each) { return plain_path(*each.value->mount_path) == kPath; });
  const Shape& pod = context.spec.pod;
  return is_mounted || plain_path(*context.spec.files->mount_path) == kPath ||
         (pod && mounts(context.tree_of(pod.span), pod.node, kPath));
}

void run(RuleContext& context) {
  const Flag& wanted = context.spec.security->read_only_root_filesystem;
  if (!wanted.value_or(false) || framework_of(context) != Framework::Pytorch) return;
  const OriginId why = context.because({context.from(wanted)});
  for (const RoleInput& input : context.roles) {
    if (has_place(context, input)) continue;
    context.add_volume(*input.role, kVolume, "emptyDir", context.tree().add_map(why), why);
    VolumeMount mount;
    mount.volume = kVolume;
    mount.path = kPath;
    mount.origin = why;
    context.add_mount(*input.role, mount);
  }
}

}  // namespace

extern const Rule scratch_rule{
    "scratch",
    Rule::Phase::Infer,
    "With a read-only root, PyTorch has a volume for temporary files and for caches.",
    "torchrun ends without a temporary folder, and downloads and compiled kernels need a home "
    "(pytorch/pytorch torch/distributed/elastic/multiprocessing/api.py; kubeflow/mcp-server issue "
    "33).",
    "spec.security spec.framework spec.pod spec.storage spec.files",
    "role.volumes role.mounts",
    run};

}  // namespace trainyard
