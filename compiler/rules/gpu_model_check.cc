#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kNvidia = "nvidia.com/";
constexpr std::string_view kAmd = "amd.com/";

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Whether a label such as `NVIDIA-H100-80GB-HBM3` or `AMD_Instinct_MI300X_OAM` is of the model.
bool is_of_model(std::string_view product, std::string_view model) {
  while (!product.empty()) {
    const std::size_t end = std::min(product.find_first_of("-_ "), product.size());
    if (same_letters(product.substr(0, end), model)) return true;
    product.remove_prefix(std::min(end + 1, product.size()));
  }
  return false;
}

/// A product without what sharing and MIG append to it.
std::string_view plain_product(std::string_view product) {
  constexpr std::string_view kShared = "-SHARED";
  if (product.ends_with(kShared)) product.remove_suffix(kShared.size());
  return product.substr(0, product.find("-MIG-"));
}

void mismatch(RuleContext& context, const RoleInput& input, const Text& wanted,
              const std::string& message, Span has) {
  Diagnostic& report = context.report(DiagnosticKind::ConflictingValues, wanted.span, message);
  const Span place = context.machine_place(input);
  if (place.known()) report.also(place, "the machine");
  if (has.known() && !(has == place)) report.also(has, "its GPUs");
}

/// A pool may say what its label is; else any label goes that names the machine's model.
void check_product(RuleContext& context, const RoleInput& input, const Text& wanted) {
  if (input.nodes.pool != nullptr && (*input.nodes.pool)->gpu->product) {
    const Text& has = (*input.nodes.pool)->gpu->product;
    if (plain_product(*wanted) == plain_product(*has)) return;
    return mismatch(context, input, wanted,
                    "GPUs " + code(*wanted) + " are wanted, those of the pool " +
                        code(*(*input.nodes.pool)->name) + " are " + code(*has),
                    has.span);
  }
  if (input.nodes.machine == nullptr) return;
  const Machine& machine = *input.nodes.machine;
  // A label that the machine selects by is a conflict, and shown as one.
  const bool own_labels = input.nodes.pool != nullptr && (*input.nodes.pool)->labels;
  if (!own_labels && find(*machine.node_selector, kProductLabel) != nullptr) return;
  const Text& model = machine.gpu->model;
  const Text& product = machine.gpu->product;
  if (!model || is_of_model(*wanted, *model)) return;
  if (product && plain_product(*wanted) == *product) return;
  mismatch(context, input, wanted,
           "GPUs " + code(*wanted) + " are wanted, those of " + code(*machine.name) + " are " +
               code(product ? *product : *model),
           product ? product.span : model.span);
}

/// Of the two makers whose GPUs the catalogue has.
std::string_view maker(std::string_view resource) {
  for (std::string_view each : {kNvidia, kAmd}) {
    if (resource.starts_with(each)) return each;
  }
  return {};
}

void check_resource(RuleContext& context, const RoleInput& input, const Text& wanted) {
  if (input.nodes.machine == nullptr) return;
  const Text& named = input.nodes.machine->gpu->resource;
  const std::string_view has = named ? maker(*named) : kNvidia;
  const std::string_view asked = maker(*wanted);
  if (asked.empty() || has.empty() || asked == has) return;
  mismatch(context, input, wanted,
           code(*input.nodes.machine->name) + " has no " + code(*wanted) + ", its GPUs are " +
               code(named ? *named : std::string_view("nvidia.com/gpu")),
           named.span);
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    if (*input.role->gpus == 0) continue;
    const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
    if (gpu.product) check_product(context, input, gpu.product);
    if (gpu.resource) check_resource(context, input, gpu.resource);
  }
}

}  // namespace

extern const Rule gpu_model_check_rule{
    "gpu-model-check",
    Rule::Phase::Check,
    "The GPUs that a role names are those of its machine or pool.",
    "A pod that selects another product, or asks for the GPUs of another maker, stays Pending "
    "without an error.",
    "spec.gpu.product spec.gpu.resource role.nodes role.gpus cluster.pools.gpu "
    "cluster.pools.labels machine.gpu "
    "machine.nodeSelector",
    "",
    run};

}  // namespace trainyard
