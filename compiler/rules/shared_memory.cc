#include <optional>
#include <string>

#include "rules/paths.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kVolume = "shared-memory";
constexpr std::string_view kPath = "/dev/shm";

/// Whether `pod` has a null for the memory limit of the training container: then there is none.
bool takes_limit_away(const RuleContext& context, const Shape& pod) {
  if (!pod) return false;
  const View containers = View(*context.in.job_tree, pod.node)["spec"]["containers"];
  for (View each : Items(containers)) {
    const View limit = each["resources"]["limits"]["memory"];
    if (each["name"].text() == kMainContainer && limit && limit.kind() == Kind::Null) return true;
  }
  return false;
}

const NamedValue* memory_limit(const RuleContext& context, const RoleInput& input) {
  const Role& role = *input.role;
  const bool own = input.own != nullptr && takes_limit_away(context, input.own->pod);
  if (own || takes_limit_away(context, context.spec.pod)) return nullptr;
  for (const NamedValue& limit : role.limits) {
    if (limit.name == "memory") return &limit;
  }
  return nullptr;
}

/// Half, rounded down to whole gibibytes, or to mebibytes where that would leave nothing.
std::string half_of(const Quantity& memory) {
  constexpr std::int64_t kMebi = 1024 * 1024;
  constexpr std::int64_t kGibi = 1024 * kMebi;
  const std::int64_t half = memory.whole_units().value_or(0) / 2;
  const std::int64_t unit = half >= kGibi ? kGibi : kMebi;
  return Quantity::of(half / unit * unit, Quantity::Format::Binary).text();
}

struct Size {
  std::string_view amount;  // "" for no limit of its own
  OriginId origin = kNoOrigin;
};

/// How large; nothing when there is to be no volume.
std::optional<Size> wanted_size(RuleContext& context, const RoleInput& input) {
  const QuantityText& wanted = context.of_training(input, &RoleFields::resources)->shared_memory;
  const NamedValue* limit = memory_limit(context, input);
  const auto memory = limit == nullptr ? std::nullopt : Quantity::parse(limit->value);
  if (!wanted) {
    // One process without GPUs has no use for it.
    if (*input.role->gpus == 0 && *input.role->processes == 1) return std::nullopt;
    if (!memory) return Size{{}, context.by_default("spec.resources.sharedMemory")};
    return Size{context.text(half_of(*memory)), context.because({limit->origin})};
  }
  const auto size = Quantity::parse(*wanted);
  if (!size || size->is_zero()) return std::nullopt;
  if (memory && *size > *memory) {
    context
        .report(DiagnosticKind::SharedMemoryTooLarge, wanted.span,
                "shared memory of " + code(*wanted) + " is more than the memory limit of " +
                    code(limit->value))
        .also(context.place(limit->origin), "the memory limit")
        .note("pages of /dev/shm count against the container's memory limit");
  }
  return Size{*wanted, context.from(wanted)};
}

/// The user's own mount there, if any.
const VolumeMount* own_mount(const Role& role) {
  for (const VolumeMount& mount : role.mounts) {
    if (plain_path(mount.path) == kPath) return &mount;
  }
  return nullptr;
}

bool is_memory(const Tree& tree, const Role& role, const VolumeMount& mount) {
  for (const Volume& volume : role.volumes) {
    if (volume.name == mount.volume) {
      return View(tree, volume.fragment)["emptyDir"]["medium"].text() == "Memory";
    }
  }
  return false;
}

/// One of the user's own takes the place of ours only when it is memory as well.
void check_own(RuleContext& context, const RoleInput& input, const VolumeMount& mount) {
  const QuantityText& wanted = context.of_training(input, &RoleFields::resources)->shared_memory;
  const bool memory = is_memory(context.tree(), *input.role, mount);
  if (memory && !wanted) return;
  Diagnostic& report =
      context.report(DiagnosticKind::ConflictingMounts, context.place(mount.origin),
                     memory ? "`/dev/shm` is mounted, and asked for by `sharedMemory`"
                            : "processes that share data need memory at `/dev/shm`");
  if (wanted) report.also(wanted.span, "shared memory");
  if (!memory) report.note("`resources: {sharedMemory: 0}` says that no memory is wanted there");
}

void run(RuleContext& context) {
  Tree& tree = context.tree();
  for (const RoleInput& input : context.roles) {
    const auto size = wanted_size(context, input);
    if (!size) continue;
    if (const VolumeMount* own = own_mount(*input.role)) {
      check_own(context, input, *own);
      continue;
    }
    const NodeId source = tree.add_map(size->origin);
    tree.append(source, "medium", tree.add_string("Memory", size->origin));
    if (!size->amount.empty()) {
      tree.append(source, "sizeLimit", tree.add_string(size->amount, size->origin));
    }
    context.add_volume(*input.role, kVolume, "emptyDir", source, size->origin);
    VolumeMount mount;
    mount.volume = kVolume;
    mount.path = kPath;
    mount.origin = size->origin;
    context.add_mount(*input.role, mount);
  }
}

}  // namespace

extern const Rule shared_memory_rule{
    "shared-memory",
    Rule::Phase::Infer,
    "Processes that share data get a /dev/shm in memory, within the memory limit.",
    "The container runtime gives 64 MiB, on which data loaders and NCCL die with a bus error; what "
    "is written there counts against the container's memory limit.",
    "spec.resources.sharedMemory spec.pod role.limits role.gpus role.processes role.mounts "
    "role.volumes",
    "role.volumes role.mounts",
    run};

}  // namespace trainyard
