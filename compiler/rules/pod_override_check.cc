#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Names of the training's container on targets, and in examples of operators.
constexpr auto kElsewhere = std::to_array<std::string_view>(
    {"pytorch", "tensorflow", "jax", "paddle", "xgboost", "mpi", "node", "main", "trainer", "train",
     "training", "worker", "container", "app", "ray-worker"});

/// Holds one `pod` against what the rules computed for one role.
class Overrides {
 public:
  Overrides(RuleContext& context, const Role& role, const Shape& part)
      : context_(context), role_(role), pod_(*context.in.job_tree, part.node) {}

  void check() {
    for (const NamedValue& label : context_.plan.selector) {
      differs(pod_["metadata"]["labels"][label.name], label.value,
              "the label `" + std::string(label.name) + "`",
              "the Service and other pods find it by");
    }
    if (role_.subdomain.is_set) {
      differs(pod_["spec"]["subdomain"], *role_.subdomain, "`subdomain`",
              "the ranks find each other by");
    }
    const View containers = pod_["spec"]["containers"];
    check_name(containers);
    each_item(containers, [&](View container) {
      const std::string_view name = container["name"].text();
      if (!is_training(name)) return;
      each_item(container["env"], [&](View variable) { env(variable); });
    });
  }

 private:
  template <class Use>
  static void each_item(View list, const Use& use) {
    if (!list || !list->is_seq()) return;
    for (NodeId item : list.tree().children(list.id())) use(View(list.tree(), item));
  }

  bool is_training(std::string_view name) const {
    return name == kMainContainer || name == *role_.container_name;
  }

  /// The container of the training under a name that it has elsewhere: one of its own has an image.
  void check_name(View containers) {
    if (!containers || !containers->is_seq() || containers->size != 1) return;
    each_item(containers, [&](View container) {
      const View name = container["name"];
      if (!name || container["image"] || is_training(name.text())) return;
      if (std::ranges::find(kElsewhere, name.text()) == kElsewhere.end()) return;
      context_
          .report(DiagnosticKind::MissingField, name->span,
                  "no container " + code(name.text()) + " is there, and one more needs an image")
          .fix(name->span, std::string(kMainContainer),
               "write " + code(kMainContainer) + " for the container of the training");
    });
  }

  void env(View variable) {
    const std::string_view name = variable["name"].text();
    const auto computed = std::ranges::find(role_.env, name, &EnvVar::name);
    if (computed == role_.env.end()) return;
    if (context_.origins[computed->origin].kind != OriginKind::Rule) return;
    const View value = variable["value"];
    if (value && computed->is_literal()) {
      differs(value, computed->value, "the variable `" + std::string(name) + "`",
              "the launch depends on");
    } else {
      report(variable, "the variable `" + std::string(name) + "`", "the launch depends on");
    }
  }

  void differs(View value, std::string_view computed, const std::string& what,
               std::string_view because) {
    if (!value || value.text() == computed) return;
    report(value, what, because).note("computed: `" + std::string(computed) + "`");
  }

  Diagnostic& report(View where, const std::string& what, std::string_view because) {
    Diagnostic& diagnostic = context_.report(
        DiagnosticKind::ConflictingValues, where->span,
        "`pod` replaces " + what + ", which " + std::string(because) + ": it is computed");
    return diagnostic.note("leave it out of `pod`");
  }

  RuleContext& context_;
  const Role& role_;
  View pod_;
};

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    if (context.spec.pod) Overrides(context, *input.role, context.spec.pod).check();
    if (input.own != nullptr && input.own->pod) {
      Overrides(context, *input.role, input.own->pod).check();
    }
  }
}

}  // namespace

extern const Rule pod_override_check_rule{
    "pod-override-check",
    Rule::Phase::Check,
    "What `pod` adds does not replace the names and variables by which the ranks meet.",
    "Each of them stands in several places at once; one that differs makes nodes train alone or "
    "wait for ever, without an error.",
    "spec.pod plan.selector role.subdomain role.containerName role.env",
    "",
    run};

}  // namespace trainyard
