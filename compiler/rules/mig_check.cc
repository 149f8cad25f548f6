#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

/// A profile such as `3g.40gb`, apart.
struct Profile {
  std::int64_t slices = 0;
  std::int64_t gigabytes = 0;
};

Profile parsed(std::string_view text) {
  Profile profile;
  const std::size_t g = text.find("g.");
  if (g == std::string_view::npos || g == 0) return profile;
  profile.slices = text[g - 1] - '0';
  const std::string_view memory = text.substr(g + 2);
  std::from_chars(memory.data(), memory.data() + memory.size(), profile.gigabytes);
  return profile;
}

/// Parts of a GPU that a profile may have, in eighths of its memory. The larger one of two is that
/// of GPUs in four slices, for one slice also a variant with more memory
/// (docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-mig-profiles.html).
struct Share {
  std::int64_t slices;
  std::int64_t eighths;
  std::int64_t more;
};
constexpr Share kShares[] = {{1, 1, 2}, {2, 2, 4}, {3, 4, 4}, {4, 4, 8}, {7, 8, 8}};

const Share* share_of(const Profile& profile) {
  const auto* found = std::find_if(std::begin(kShares), std::end(kShares), [&](const Share& share) {
    return share.slices == profile.slices;
  });
  return found == std::end(kShares) ? nullptr : found;
}

/// Memory of a GPU in gigabytes, as profiles round it.
std::optional<double> memory_of_gpu(const NodeShape& nodes) {
  const QuantityText* memory = known_gpu_memory(nodes);
  if (memory == nullptr) return std::nullopt;
  const auto amount = Quantity::parse(**memory);
  const auto bytes = amount ? amount->whole_units() : std::nullopt;
  if (!bytes) return std::nullopt;
  return static_cast<double>(*bytes) / (1024.0 * 1024.0 * 1024.0);
}

/// Sizes on which all sources agree, so that names of slices follow from them: A30, A100, H100,
/// GH200 and H200.
constexpr std::int64_t kAgreed[] = {24, 40, 80, 94, 96, 141};

/// Whether a slice of so many eighths of the memory may have this name. Names are rounded; for
/// other GPUs sources differ, and some say what is left of the memory.
bool may_be(std::int64_t gigabytes, std::int64_t eighths, double memory) {
  const double share = memory * static_cast<double>(eighths) / 8;
  const bool agreed = std::ranges::any_of(
      kAgreed, [&](std::int64_t size) { return memory == static_cast<double>(size); });
  if (agreed) return std::lround(share) == gigabytes;
  return std::abs(static_cast<double>(gigabytes) - share) <= share / 10 + 1;
}

void check_profile(RuleContext& context, const RoleInput& input, const Text& mig) {
  const Profile profile = parsed(*mig);
  const Share* share = share_of(profile);
  if (share == nullptr) {
    context.report(DiagnosticKind::MigSlices, mig.span, "no GPU has slices " + code(*mig))
        .note("a slice has 1, 2, 3, 4 or 7 parts of the GPU");
    return;
  }
  const auto memory = memory_of_gpu(input.nodes);
  if (!memory) return;
  if (may_be(profile.gigabytes, share->eighths, *memory)) return;
  if (may_be(profile.gigabytes, share->more, *memory)) return;
  context
      .report(
          DiagnosticKind::MigSlices, mig.span,
          "a GPU with " + std::to_string(std::lround(*memory)) + " GB has no slices " + code(*mig))
      .note(std::to_string(profile.slices) + (profile.slices == 1 ? " part" : " parts") +
            " of it have about " +
            std::to_string(std::lround(*memory * static_cast<double>(share->eighths) / 8)) + " GB");
}

void check_pool(RuleContext& context, const RoleInput& input, const Text& mig) {
  const Pool& pool = **input.nodes.pool;
  const std::string name = "the pool " + code(*pool.name);
  if (!may_offer_slices(context, pool, *mig)) {
    Diagnostic& report =
        context.report(DiagnosticKind::MigSlices, mig.span, name + " has no slices " + code(*mig));
    if (pool.gpu->mig) {
      report.also(pool.gpu->mig.span, "its slices");
    } else {
      report.note("the Cluster lists the slices of a pool in `gpu.mig`, by profile");
    }
    return;
  }
  const Integer* slices = listed_slices(pool, *mig);
  if (slices == nullptr || *input.role->gpus <= **slices) return;
  context
      .report(DiagnosticKind::MigSlices, context.place(input.role->gpus.origin),
              std::to_string(*input.role->gpus) + " slices per node, but a node of " + name +
                  " has " + std::to_string(**slices))
      .also(slices->span, "its slices");
}

/// Several pools have the machine, and none of them such slices.
void check_pools(RuleContext& context, const NodeShape& nodes, const Text& mig) {
  if (nodes.pool != nullptr || nodes.machine == nullptr || context.in.cluster == nullptr) return;
  bool has_pools = false;
  for (const auto& pool : *context.in.cluster->spec->pools) {
    if (!has_machine(*pool, *nodes.machine)) continue;
    if (may_offer_slices(context, *pool, *mig)) return;
    has_pools = true;
  }
  if (!has_pools) return;
  context
      .report(DiagnosticKind::MigSlices, mig.span,
              "no pool of " + code(*nodes.machine->name) + " has slices " + code(*mig))
      .also(context.in.cluster->spec->pools.span, "the pools");
}

/// With strategy `single` only the product label keeps a pod away from whole GPUs.
void check_told_apart(RuleContext& context, const RoleInput& input, const Text& mig) {
  if (input.nodes.pool != nullptr || mig_strategy(context, input.nodes) != MigStrategy::Single) {
    return;
  }
  const auto& labels = input.role->node_selector;
  const bool told = std::any_of(labels.begin(), labels.end(), [](const NamedValue& label) {
    return label.name == kProductLabel;
  });
  if (told) return;
  context
      .report(DiagnosticKind::MigSlices, mig.span,
              "slices " + code(*mig) + " go by the name of whole GPUs, by MIG strategy `single`")
      .note("name the GPU in `gpu.product` or the machine, so that nodes with slices are found");
}

void check_slices(RuleContext& context, const RoleInput& input, const Text& mig) {
  if (mig_strategy(context, input.nodes) == MigStrategy::None) {
    context.report(DiagnosticKind::MigSlices, mig.span,
                   "these nodes offer no slices, by MIG strategy `none`");
    return;
  }
  check_profile(context, input, mig);
  if (input.nodes.pool != nullptr) check_pool(context, input, mig);
  check_pools(context, input.nodes, mig);
  check_told_apart(context, input, mig);
}

/// GPUs of a node that its slices use up, even if each were filled before the next is begun: by
/// memory, in eight parts, or by processors, in seven parts.
std::int64_t sliced_gpus(const Pool& pool) {
  constexpr std::int64_t kMemory = 8;
  constexpr std::int64_t kProcessors = 7;
  std::int64_t memory = 0;
  std::int64_t processors = 0;
  for (const auto& slices : *pool.gpu->mig) {
    const Share* share = share_of(parsed(slices.key));
    if (share == nullptr) continue;
    memory += *slices.value * share->eighths;
    processors += *slices.value * share->slices;
  }
  return std::max((memory + kMemory - 1) / kMemory, (processors + kProcessors - 1) / kProcessors);
}

void check_whole(RuleContext& context, const RoleInput& input) {
  if (input.nodes.pool == nullptr || !(*input.nodes.pool)->gpu->mig) return;
  const Pool& pool = **input.nodes.pool;
  const Integer* gpus = input.nodes.gpus();
  const bool single = mig_strategy(context, input.nodes) == MigStrategy::Single;
  if (!single && gpus == nullptr) return;
  const std::int64_t left = single ? 0 : std::max<std::int64_t>(0, **gpus - sliced_gpus(pool));
  if (*input.role->gpus <= left) return;
  context
      .report(DiagnosticKind::MigSlices, context.place(input.role->gpus.origin),
              std::to_string(*input.role->gpus) +
                  (*input.role->gpus == 1 ? " whole GPU" : " whole GPUs") +
                  " per node, but a node of the pool " + code(*pool.name) + " has " +
                  (left == 0 ? "none" : std::to_string(left)) + " left")
      .also(pool.gpu->mig.span, "its GPUs are cut into these slices")
      .note("ask for slices with `gpu.mig`");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    if (*input.role->gpus == 0) continue;
    const Text& mig = context.of(input, &RoleFields::gpu)->mig;
    if (mig) {
      check_slices(context, input, mig);
    } else {
      check_whole(context, input);
    }
  }
}

}  // namespace

extern const Rule mig_check_rule{
    "mig-check",
    Rule::Phase::Check,
    "The nodes have the MIG slices that a role asks for, and whole GPUs where it asks for those.",
    "With MIG strategy `single` slices go by the name of whole GPUs; a pod that asks for what no "
    "node has stays Pending without an error (NVIDIA/k8s-device-plugin "
    "internal/lm/mig-strategy.go).",
    "spec.gpu.mig cluster.pools cluster.gpu.migStrategy machine.gpu role.nodes role.gpus "
    "role.nodeSelector",
    "",
    run};

}  // namespace trainyard
