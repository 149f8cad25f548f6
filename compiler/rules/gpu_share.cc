#include <array>
#include <charconv>
#include <string>

#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

/// A decimal number in its shortest form: `0.5` for `.50` and for `5e-1`.
std::string_view plain_number(RuleContext& context, std::string_view written) {
  double value = 0;
  const auto read = std::from_chars(written.data(), written.data() + written.size(), value);
  if (read.ec != std::errc()) return written;
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (end.ec != std::errc()) return written;
  return context.text(
      std::string_view(text.data(), static_cast<std::size_t>(end.ptr - text.data())));
}

void check_memory(RuleContext& context, const RoleInput& input, const QuantityText& wanted) {
  const auto part = Quantity::parse(*wanted);
  if (!part) return;
  if (part->is_negative() || part->is_zero()) {
    context.report(DiagnosticKind::OutOfRange, wanted.span,
                   "memory of " + code(*wanted) + "; expected more than 0");
    return;
  }
  const QuantityText* known = known_gpu_memory(input.nodes);
  const auto all = known == nullptr ? std::nullopt : Quantity::parse(**known);
  if (!all || *part <= *all) return;
  context
      .report(DiagnosticKind::ExceedsMachine, wanted.span,
              code(*wanted) + " of a GPU are wanted, those of the machine have " + code(**known))
      .also(known->span, "their memory");
}

void take_part(RuleContext& context, RoleInput& input, const GpuRequest& gpu) {
  Role& role = *input.role;
  const Span asked = gpu.fraction ? gpu.fraction.span : gpu.memory.span;
  if (*role.gpus > 1) {
    context
        .report(DiagnosticKind::ConflictingValues, context.place(role.gpus.origin),
                std::to_string(*role.gpus) + " GPUs, while a pod has only a part of one")
        .also(asked, "the part")
        .note("use one per pod and more `nodes`, or whole GPUs");
    return;
  }
  if (gpu.fraction) {
    context.set(role.gpu_fraction, plain_number(context, *gpu.fraction),
                context.from(gpu.fraction));
  } else {
    check_memory(context, input, gpu.memory);
    context.set(role.gpu_memory, *gpu.memory, context.from(gpu.memory));
  }
}

/// How a scheduler that splits GPUs learns of it from a pod: kai-scheduler/KAI-Scheduler
/// docs/gpu-sharing/README.md; Run:ai's scheduler reads the same annotations.
void annotate(RuleContext& context, Role& role, const GpuRequest& gpu) {
  const Field<std::string_view>& system = context.plan.system;
  if (!system || (*system != "kai" && *system != "runai")) {
    const Span asked = gpu.fraction ? gpu.fraction.span : gpu.memory.span;
    context
        .report(DiagnosticKind::NotExpressible, asked,
                "only the schedulers of KAI and Run:ai give a pod a part of a GPU")
        .note("name one of them in `scheduling.system`, or use `gpu.mig` or `gpu.sharing`");
    return;
  }
  if (role.gpu_fraction) {
    context.add(role.pod_annotations, "gpu-fraction", *role.gpu_fraction,
                context.because({role.gpu_fraction.origin}));
  }
  if (!role.gpu_memory) return;
  // In mebibytes.
  constexpr std::int64_t kMebi = 1024 * 1024;
  const auto amount = Quantity::parse(*role.gpu_memory);
  const auto bytes = amount ? amount->whole_units() : std::nullopt;
  if (!bytes) return;
  context.add(role.pod_annotations, "gpu-memory", context.number((*bytes + kMebi - 1) / kMebi),
              context.because({role.gpu_memory.origin}));
}

/// How a workload without a pod template counts GPUs: of NVIDIA, whole or a part of one.
void count(RuleContext& context, Role& role) {
  constexpr std::string_view kCounted = "nvidia.com/gpu";
  if (role.gpu_fraction) {
    context.set(role.gpu_share, *role.gpu_fraction, context.because({role.gpu_fraction.origin}));
  } else if (role.gpu_resource && *role.gpu_resource == kCounted && !role.gpu_profile) {
    context.set(role.gpu_share, context.number(*role.gpus), context.because({role.gpus.origin}));
  }
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    Role& role = *input.role;
    if (*role.gpus == 0) continue;
    const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
    if (has_part(context, input)) take_part(context, input, gpu);
    if (gpu.mig) context.set(role.gpu_profile, *gpu.mig, context.from(gpu.mig));
    if (!context.in.target->pod_template) {
      count(context, role);
    } else if (has_part(context, input)) {
      annotate(context, role, gpu);
    }
  }
}

}  // namespace

extern const Rule gpu_share_rule{
    "gpu-share",
    Rule::Phase::Infer,
    "A part of a GPU is a share or an amount of memory of a single one, and takes the place of "
    "whole "
    "GPUs.",
    "A pod that asks for a part has no request for whole GPUs beside it "
    "(kai-scheduler/KAI-Scheduler "
    "pkg/admission/webhook/v1alpha2/gpusharing/gpu_sharing.go).",
    "spec.gpu role.gpus role.gpuResource role.nodes cluster.pools machine.gpu plan.system "
    "target.pod",
    "role.gpuFraction role.gpuMemory role.gpuProfile role.gpuShare role.podAnnotations",
    run};

}  // namespace trainyard
