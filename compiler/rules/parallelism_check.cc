#include <string>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

std::string product(const Parallelism& wanted) {
  std::string text;
  const auto factor = [&](const Integer& degree, std::string_view name) {
    if (!degree) return;
    text += (text.empty() ? "" : " x ") + std::string(name) + " " + std::to_string(*degree);
  };
  factor(wanted.tensor, "tensor");
  factor(wanted.pipeline, "pipeline");
  factor(wanted.context, "context");
  factor(wanted.data, "data");
  return text;
}

void mismatch(RuleContext& context, const std::string& message) {
  Diagnostic& report =
      context.report(DiagnosticKind::ParallelismMismatch, context.spec.parallelism.span, message);
  const Role& role = context.plan.roles[0];
  report.also(context.place(role.replicas.origin), "nodes");
  if (!(context.place(role.gpus.origin) == context.place(role.replicas.origin))) {
    report.also(context.place(role.gpus.origin), "GPUs per node");
  }
}

void run(RuleContext& context) {
  if (!context.spec.parallelism) return;
  const Parallelism& wanted = *context.spec.parallelism;
  std::int64_t gpus = 0;
  for (const Role& role : context.plan.roles) gpus += *role.replicas * *role.gpus;
  const std::int64_t model =
      wanted.tensor.value_or(1) * wanted.pipeline.value_or(1) * wanted.context.value_or(1);
  const std::string count = std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs");
  if (wanted.data && model * *wanted.data != gpus) {
    return mismatch(context, product(wanted) + " = " + std::to_string(model * *wanted.data) +
                                 ", but the job has " + count);
  }
  if (model > gpus || gpus % model != 0) {
    return mismatch(context, product(wanted) + " = " + std::to_string(model) +
                                 " does not divide the job's " + count);
  }
  const std::int64_t rest = gpus / model;
  const std::int64_t expert = wanted.expert.value_or(1);
  if (rest % expert != 0) {
    mismatch(context, "expert " + std::to_string(expert) + " does not divide the " +
                          std::to_string(rest) + " GPUs that the other degrees leave");
  }
}

}  // namespace

extern const Rule parallelism_check_rule{
    "parallelism-check",
    Rule::Phase::Check,
    "Degrees of parallelism multiply to the number of GPUs, and the failing equation is shown.",
    "Megatron and NeMo find this out after the images are pulled and the ranks have met.",
    "spec.parallelism role.replicas role.gpus",
    "",
    run};

}  // namespace trainyard
