#include <string>
#include <string_view>

#include "rules/paths.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Where the Trainer's initializers put what they fetch, whatever the job says
/// (kubeflow/trainer pkg/initializers/utils/utils.py DATASET_PATH, MODEL_PATH).
struct Initializer {
  std::string_view kind;
  std::string_view path;
};
constexpr Initializer kInitializers[] = {{"dataset", "/workspace/dataset"},
                                         {"model", "/workspace/model"}};

const Initializer* initializer_of(const DataPlan& data) {
  for (const Initializer& each : kInitializers) {
    if (data.kind && *data.kind == each.kind) return &each;
  }
  return nullptr;
}

/// What of an input no initializer of a runtime does.
class Check {
 public:
  explicit Check(RuleContext& context) : context_(context) {}

  void inputs() {
    const DataPlan* seen[std::size(kInitializers)] = {};
    for (const DataPlan& data : context_.plan.inputs) {
      const Initializer* initializer = initializer_of(data);
      if (initializer == nullptr) {
        refuse(data.kind ? data.kind : data.uri, "an input that is no dataset and no model")
            .note("say `kind: dataset` or `kind: model`");
        continue;
      }
      const DataPlan*& other = seen[initializer - kInitializers];
      if (other != nullptr) {
        refuse(data.uri, "a second " + std::string(initializer->kind))
            .also(context_.place(other->uri.origin), "the first one");
        continue;
      }
      other = &data;
      one(data, *initializer);
    }
  }

 private:
  Diagnostic& refuse(const Field<std::string_view>& field, const std::string& what) {
    return context_.report(DiagnosticKind::NotExpressible, context_.place(field.origin),
                           "target " + code(context_.in.target->name) +
                               " cannot express, with a runtime that exists, " + what);
  }

  void one(const DataPlan& data, const Initializer& initializer) {
    constexpr std::string_view kWay = "leave `runtime` out, and containers of the job fetch it";
    if (*data.scheme != "s3" && *data.scheme != "hf") {
      refuse(data.uri, "data of the scheme " + code(*data.scheme)).note(std::string(kWay));
    }
    if (data.revision) refuse(data.revision, "a revision").note(std::string(kWay));
    if (plain_path(*data.path) == initializer.path) return;
    refuse(data.path, code(*data.path))
        .note("the initializers of a runtime put a " + std::string(initializer.kind) + " into " +
              code(initializer.path))
        .note(std::string(kWay));
  }

  RuleContext& context_;
};

void run(RuleContext& context) {
  if (context.plan.runtime.exists && !context.in.target->own_transfers) Check(context).inputs();
}

}  // namespace

extern const Rule initializers_check_rule{
    "initializers-check",
    Rule::Phase::Check,
    "Inputs of a job whose runtime exists are what the initializers of a runtime can fetch.",
    "A TrainJob hands one dataset and one model to the initializers of its runtime, which have "
    "places of their own (kubeflow/trainer pkg/apis/trainer/v1alpha1/trainjob_types.go, "
    "pkg/initializers).",
    "plan.inputs plan.runtime",
    "",
    run};

}  // namespace trainyard
