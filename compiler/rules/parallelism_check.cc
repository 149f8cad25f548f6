#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

/// How often something of the model is split, as the spec or the program's options say.
struct Degree {
  std::int64_t value = 1;
  Span place;             // unknown where it is not stated
  std::string_view name;  // of the program's option
};

/// The options of Megatron (NVIDIA/Megatron-LM megatron/training/arguments.py), the settings of
/// NeMo (NVIDIA/NeMo examples/nlp/language_modeling/conf/megatron_gpt_config.yaml), and what they
/// mean here; `expertTensor` has no field of its own.
struct Option {
  std::string_view name;
  std::string_view setting;
  std::string_view degree;
  const Integer Parallelism::* field;
};
constexpr Option kOptions[] = {
    {"--tensor-model-parallel-size", "model.tensor_model_parallel_size", "tensor",
     &Parallelism::tensor},
    {"--pipeline-model-parallel-size", "model.pipeline_model_parallel_size", "pipeline",
     &Parallelism::pipeline},
    {"--context-parallel-size", "model.context_parallel_size", "context", &Parallelism::context},
    {"--expert-model-parallel-size", "model.expert_model_parallel_size", "expert",
     &Parallelism::expert},
    {"--expert-tensor-parallel-size", "model.expert_tensor_parallel_size", "expert tensor",
     nullptr},
};
constexpr std::size_t kTensor = 0;
constexpr std::size_t kPipeline = 1;
constexpr std::size_t kContext = 2;
constexpr std::size_t kExpert = 3;
constexpr std::size_t kExpertTensor = 4;

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto value = read_number(text);
  return value && *value >= 1 ? value : std::nullopt;
}

/// The product, or the greatest number where that is too large.
std::int64_t times(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost / b ? kMost : a * b;
}

/// `model.x` of `+model.x=8`, as Hydra writes a setting that is added or replaced.
std::string_view without_plus(std::string_view word) {
  const std::size_t begin = word.find_first_not_of('+');
  return begin == word.npos ? std::string_view() : word.substr(begin);
}

/// What the program's own words say of a degree; the last one counts, as for argparse and Hydra.
/// Settings of NeMo count beside a `parallelism` that they can be held against.
Degree told(const TextList& words, const Option& option, bool with_settings) {
  Degree degree;
  const Text* before = nullptr;
  for (const Text& word : *words) {
    std::string_view text = *word;
    std::string_view name = option.name;
    if (with_settings && without_plus(text).starts_with(option.setting)) {
      text = without_plus(text);
      name = option.setting;
    }
    const bool is_value = before != nullptr && **before == option.name;
    const bool holds = text.starts_with(name) && text.substr(name.size()).starts_with('=');
    if (holds) text.remove_prefix(name.size() + 1);
    if (const auto value = is_value || holds ? whole_number(text) : std::nullopt) {
      degree = {*value, word.span, name};
    }
    before = &word;
  }
  return degree;
}

class Arithmetic {
 public:
  explicit Arithmetic(RuleContext& context) : context_(context) {
    for (const Role& role : context.plan.roles) {
      gpus_ += *role.replicas * (has_own_number(role) ? *role.processes : *role.gpus);
    }
    for (std::size_t i = 0; i < std::size(kOptions); ++i) told_[i] = told_by_program(i);
  }

  void check() {
    const auto& stated = context_.spec.parallelism;
    bool differ = false;
    for (std::size_t i = 0; i < std::size(kOptions); ++i) {
      const Integer* field =
          stated && kOptions[i].field ? &((*stated).*kOptions[i].field) : nullptr;
      if (field != nullptr && *field) {
        degrees_[i] = {**field, field->span, {}};
        if (told_[i].place.known() && told_[i].value != **field) {
          differs(i);
          differ = true;
        }
      } else {
        degrees_[i] = told_[i];
      }
    }
    if (stated && stated->data) data_ = {*stated->data, stated->data.span, {}};
    if (differ || (!stated && !is_certain())) return;
    product();
  }

 private:
  Degree told_by_program(std::size_t option) const {
    for (const RoleInput& input : context_.roles) {
      const Run& run = *context_.of(input, &RoleFields::run);
      for (const TextList* words : {&run.args, &run.command}) {
        if (const Degree degree = told(*words, kOptions[option], bool(context_.spec.parallelism));
            degree.place.known()) {
          return degree;
        }
      }
    }
    return {};
  }

  /// Whether a role has fewer ranks than GPUs, while each GPU takes part by one rank. A process
  /// of JAX or TensorFlow works with several, and one alone may share its GPUs out itself.
  bool has_own_number(const Role& role) const {
    const std::string_view framework = *context_.plan.framework;
    if (framework == "jax" || framework == "tensorflow" || !role.processes) return false;
    return *role.processes > 1 && *role.processes < *role.gpus;
  }

  /// Whether options say how the model is split, and the program has a rank for each of GPUs whose
  /// number stays.
  bool is_certain() const {
    if (context_.spec.elastic || gpus_ == 0) return false;
    for (const Role& role : context_.plan.roles) {
      if (*role.gpus > 0 && role.processes && *role.processes != *role.gpus) return false;
    }
    return std::ranges::any_of(told_, [](const Degree& degree) { return degree.place.known(); });
  }

  /// The spec and the program each have a number of their own.
  void differs(std::size_t i) {
    context_
        .report(DiagnosticKind::ParallelismMismatch, told_[i].place,
                code(told_[i].name) + " is " + std::to_string(told_[i].value) +
                    ", and `parallelism` says " + std::string(kOptions[i].degree) + " " +
                    std::to_string(degrees_[i].value))
        .also(degrees_[i].place, "what `parallelism` says");
  }

  void product() {
    const std::int64_t model =
        times(times(degrees_[kTensor].value, degrees_[kPipeline].value), degrees_[kContext].value);
    const std::string factors = factors_of({kTensor, kPipeline, kContext});
    if (data_.place.known() && times(model, data_.value) != gpus_) {
      const std::string all =
          (factors.empty() ? "" : factors + " x ") + "data " + std::to_string(data_.value);
      mismatch(all + equals(all, times(model, data_.value)) + ", but there " +
               (gpus_ == 1 ? "is " : "are ") + all_gpus());
    } else if (!factors.empty() && (gpus_ == 0 || gpus_ % model != 0)) {
      mismatch(factors + equals(factors, model) + " does not divide " + all_gpus());
    } else {
      experts();
    }
  }

  /// Megatron lays its experts over all GPUs once more, each group of them split by a degree of its
  /// own, which is that of `tensor` unless an option says otherwise (NVIDIA/Megatron-LM
  /// megatron/core/parallel_state.py). Where that cannot be seen, any will do.
  void experts() {
    if (degrees_[kExpert].value == 1) return;
    if (!degrees_[kExpertTensor].place.known() && told_[kExpert].place.known()) {
      degrees_[kExpertTensor] = {degrees_[kTensor].value, degrees_[kTensor].place, {}};
    }
    const std::int64_t group = times(times(degrees_[kExpert].value, degrees_[kExpertTensor].value),
                                     degrees_[kPipeline].value);
    if (gpus_ % group == 0) return;
    const std::string factors = factors_of({kExpert, kExpertTensor, kPipeline});
    Diagnostic& report =
        mismatch(factors + equals(factors, group) + " does not divide " + all_gpus());
    if (degrees_[kExpertTensor].value > 1) {
      report.note("`--expert-tensor-parallel-size` is that of `tensor` unless it is given");
    }
  }

  std::string factors_of(std::initializer_list<std::size_t> which) const {
    std::string text;
    for (std::size_t i : which) {
      if (!degrees_[i].place.known()) continue;
      text += (text.empty() ? "" : " x ") + std::string(kOptions[i].degree) + " " +
              std::to_string(degrees_[i].value);
    }
    return text;
  }

  /// A single factor is its own product.
  static std::string equals(const std::string& factors, std::int64_t value) {
    return factors.find(" x ") == std::string::npos ? "" : " = " + std::to_string(value);
  }

  std::string all_gpus() const {
    const Role& first = context_.plan.roles[0];
    const bool by_processes = has_own_number(first);
    const std::int64_t each = by_processes ? *first.processes : *first.gpus;
    std::int64_t nodes = 0;
    bool alike = true;
    for (const Role& role : context_.plan.roles) {
      if (*role.gpus == 0) continue;
      nodes += *role.replicas;
      alike = alike && *role.gpus == *first.gpus && has_own_number(role) == by_processes;
    }
    const std::string unit = by_processes ? " processes" : gpus_ == 1 ? " GPU" : " GPUs";
    const std::string count = std::to_string(gpus_) + unit;
    if (!alike || nodes < 2 || each == 0) return count;
    return std::to_string(nodes) + " nodes x " + std::to_string(each) + unit + " = " +
           std::to_string(gpus_);
  }

  Diagnostic& mismatch(const std::string& message) {
    const auto& stated = context_.spec.parallelism;
    Span place = stated.span;
    for (std::size_t i = 0; !stated && i < std::size(kOptions); ++i) {
      if (told_[i].place.known()) {
        place = told_[i].place;
        break;
      }
    }
    Diagnostic& report = context_.report(DiagnosticKind::ParallelismMismatch, place, message);
    const Role& role = context_.plan.roles[0];
    const Span nodes = context_.place(role.replicas.origin);
    if (nodes.known()) report.also(nodes, "nodes");
    if (has_own_number(role) ||
        !(context_.place(role.gpus.origin) == context_.place(role.replicas.origin))) {
      report.also(context_.place(has_own_number(role) ? role.processes.origin : role.gpus.origin),
                  has_own_number(role) ? "processes per node" : "GPUs per node");
    }
    for (std::size_t i = 0; stated && i < std::size(kOptions); ++i) {
      const bool counts = i != kExpertTensor || degrees_[kExpert].value > 1;
      const bool by_program = degrees_[i].place.known() && degrees_[i].place == told_[i].place;
      if (counts && by_program) report.also(told_[i].place, "what the program gets");
    }
    return report;
  }

  RuleContext& context_;
  std::int64_t gpus_ = 0;  // or ranks, where there are fewer
  Degree told_[std::size(kOptions)];
  Degree degrees_[std::size(kOptions)];
  Degree data_;
};

/// A role whose GPUs are those of unknown nodes, which is reported elsewhere.
bool has_unknown_gpus(const RuleContext& context, const RoleInput& input) {
  const bool names_nodes =
      context.of(input, &RoleFields::pool) || context.of(input, &RoleFields::machine);
  return names_nodes && input.nodes.pool == nullptr && input.nodes.machine == nullptr &&
         !context.of(input, &RoleFields::gpus_per_node);
}

void run(RuleContext& context) {
  if (context.plan.roles.empty()) return;
  const auto is_unknown = [&](const RoleInput& input) { return has_unknown_gpus(context, input); };
  if (std::ranges::any_of(context.roles, is_unknown)) return;
  Arithmetic(context).check();
}

}  // namespace

extern const Rule parallelism_check_rule{
    "parallelism-check",
    Rule::Phase::Check,
    "Degrees of parallelism multiply to the number of GPUs, as the spec and the program's options "
    "say them, and the failing equation is shown.",
    "Megatron and NeMo find this out after the images are pulled and the ranks have met.",
    "spec.parallelism spec.run.args spec.run.command spec.elastic spec.pool spec.machine "
    "spec.gpusPerNode role.nodes role.replicas role.gpus "
    "role.processes plan.framework",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
