#include "policy/policy_evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cel/evaluate.h"
#include "cel/text_of.h"
#include "cel/tree_values.h"
#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "policy/policy_checks.h"
#include "schema/rule_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// Of one check on one object: as the API server allows the rules of a CRD.
// kubernetes/apiserver pkg/apis/cel/config.go
constexpr std::uint64_t kSteps = 10'000'000;

constexpr auto kRoleWords =
    std::to_array<std::string_view>({"regular", "init", "sidecar", "ephemeral"});

/// One check on one object, pod template or spec of a Job.
class PolicyEvaluation {
 public:
  PolicyEvaluation(View subject, PolicyCheck& check, CheckContext& context)
      : check_(check), subject_(subject), context_(context) {}

  void run(const Pod* pod) {
    for (PolicyRule& rule : check_.rules) {
      for (const PolicyPath& path : rule.paths) run(rule, path, pod);
    }
  }

 private:
  /// What expressions see; made when the first of them is evaluated.
  struct Values {
    Values(View subject, PolicyCheck& check)
        : of_tree(subject.tree()), variables(check.variables.size(), cel::Value::null()) {
      check.cel.heap.clear();
      check.cel.set_budget(kSteps);
    }

    cel::TreeValues of_tree;
    std::optional<cel::TreeValues> of_old;
    std::vector<cel::Value> variables;
  };

  void run(PolicyRule& rule, const PolicyPath& path, const Pod* pod) {
    const bool of_containers =
        pod != nullptr && !path.parts.empty() && path.parts.front().name == "containers";
    if (!of_containers) {
      path.each(subject_, [&](View at) { ask(rule, at); });
      return;
    }
    for (const PodContainer& each : pod->containers) {
      container_ = &each;
      path.each(each.node, [&](View at) { ask(rule, at); }, 2);
    }
    container_ = nullptr;
  }

  void ask(PolicyRule& rule, View at) {
    if (gave_up_) return;
    if (rule.refuse.at) {
      if (is_true(rule, rule.refuse, at)) report(rule, at, "");
      return;
    }
    if (!rule.words.empty()) return words(rule, at);
    if (rule.range) return range(rule, at);
    if (!rule.format.empty()) return format(rule, at);
    if (rule.unique) unique(rule, at);
  }

  /// The variables of expressions for the value at `at`.
  std::span<cel::Value> variables(View at) {
    const bool is_first = !values_;
    if (is_first) values_.emplace(subject_, check_);
    const std::span<cel::Value> all = values_->variables;
    all[kPolicySelf] = values_->of_tree.value(at.id());
    all[kPolicyKey] = cel::Value::string(at.key());
    all[kPolicyContainer] = all[kPolicyRole] = cel::Value::null();
    if (container_ != nullptr) {
      all[kPolicyContainer] = values_->of_tree.value(container_->node.id());
      all[kPolicyRole] =
          cel::Value::string(kRoleWords.at(static_cast<std::size_t>(container_->role)));
    }
    if (is_first) prepare(all);
    return all;
  }

  /// What all rules see.
  void prepare(std::span<cel::Value> all) {
    const View old = context_.old();
    all[kPolicyObject] = values_->of_tree.value(context_.object().id());
    if (old) all[kPolicyOld] = values_->of_old.emplace(old.tree()).value(old.id());
    const cel::Value subject = values_->of_tree.value(subject_.id());
    if (check_.subject == PolicyCheck::Subject::Pod) all[kPolicyPod] = subject;
    if (check_.subject == PolicyCheck::Subject::Job) all[kPolicyJob] = subject;
    std::size_t variable = kPolicyVariables;
    for (PolicyExpression& each : check_.lets) {
      if (const cel::Program* program = compiled(each)) {
        all[variable] = cel::evaluate(*program, all.first(variable), check_.cel);
      }
      ++variable;
    }
  }

  const cel::Program* compiled(PolicyExpression& expression) {
    return compiled(expression.program, string_of(expression.at));
  }

  /// Compiles it now if that is not done yet.
  const cel::Program* compiled(std::optional<cel::Program>& program, std::string_view text) {
    if (!program) program = cel::compile(text, check_.variables).program;
    return program ? &*program : nullptr;
  }

  /// False for an expression that cannot tell, which is reported.
  bool is_true(const PolicyRule& rule, PolicyExpression& expression, View at) {
    const cel::Program* program = compiled(expression);
    if (program == nullptr || gave_up_) return false;
    const cel::Value value = cel::evaluate(*program, variables(at), check_.cel);
    if (value.is_false()) return false;
    if (value.is_true()) return true;
    gave_up_ = check_.cel.exhausted();
    if (is_ours()) return false;  // a value of another type: its schema refuses it
    const std::string why = gave_up_           ? "it takes too many steps"
                            : value.is_error() ? std::string(value.text())
                                               : "it comes to no bool";
    context_
        .policy(DiagnosticKind::BadPolicy, at,
                "check " + shown(context_.check().name) + " cannot judge this: " + why, rule.at_key)
        .also(expression.at->span, "the expression");
    return false;
  }

  void words(PolicyRule& rule, View at) {
    const bool is_key = rule.at_key;
    const std::string_view word = is_key ? at.key() : at.text();
    const bool is_text = is_key || at.is_scalar();
    if (is_text && std::ranges::find(rule.words, word) != rule.words.end()) return;
    const std::vector<std::string> names(rule.words.begin(), rule.words.end());
    std::string what = is_text ? shown(word) + " is not allowed here" : "this is no text";
    if (!rule.message.parts.empty()) what = text(rule.message, at);
    Diagnostic* found = report(rule, at, what + "; expected " + listed(names, "or"));
    const auto near = suggest(word, rule.words);
    if (found == nullptr || !near || context_.is_ours()) return;
    found->fix(is_key ? at->key_span : at->span, std::string(*near), "write " + shown(*near));
  }

  void range(PolicyRule& rule, View at) {
    const auto [least, most] = *rule.range;
    const auto whole = integer_of(at);
    const double number = whole ? static_cast<double>(*whole)
                          : at.kind() == Kind::Float
                              ? std::strtod(std::string(at.text()).c_str(), nullptr)
                              : std::nan("");
    if (number >= least && number <= most) return;
    report(rule, at,
           shown(at.text()) + " is not allowed here; expected a number " +
               (std::isinf(most) ? "of at least " + number_text(least)
                                 : "from " + number_text(least) + " to " + number_text(most)));
  }

  void format(PolicyRule& rule, View at) {
    std::vector<std::string> faults;
    check_rule_format(rule.format, string_of(at), faults);
    if (at.kind() == Kind::String && faults.empty()) return;
    report(rule, at,
           at.kind() != Kind::String
               ? "this is no text; expected a " + std::string(rule.format)
               : "expected a " + std::string(rule.format) + ": " + faults.front());
  }

  void unique(PolicyRule& rule, View at) {
    if (!at->is_seq()) return;
    std::map<std::string_view, View> seen;
    for (View item : Items(at)) {
      const View value = rule.unique->empty() ? item : get(item, *rule.unique);
      if (!value || !value.is_scalar()) continue;
      const auto [first, is_new] = seen.emplace(value.text(), value);
      if (is_new) continue;
      Diagnostic* found = report(rule, value, shown(value.text()) + " is there twice");
      if (found != nullptr) found->also(context_.place(first->second), "also here");
    }
  }

  /// A rule whose file is part of the program.
  bool is_ours() const { return context_.check().policy == nullptr; }

  /// `what` is the message of a rule that has none. Null if `when` does not hold.
  Diagnostic* report(PolicyRule& rule, View at, std::string what) {
    if (rule.when.at && !is_true(rule, rule.when, at)) return nullptr;
    if (!rule.message.parts.empty() && rule.words.empty()) what = text(rule.message, at);
    Diagnostic& found = told(rule, at, std::move(what));
    if (!rule.note.empty()) found.note(std::string(rule.note));
    if (rule.also) {
      if (const View second = rule.also->first(subject_)) {
        found.also(context_.place(second), std::string(rule.also_text));
      }
    }
    if (!is_ours()) found.also(rule.at->span, "the rule");
    return &found;
  }

  Diagnostic& told(const PolicyRule& rule, View at, std::string what) {
    const Check& check = context_.check();
    if (!is_ours()) {
      return context_.policy(DiagnosticKind::PolicyBroken, at, std::move(what), rule.at_key);
    }
    if (check.is_lint()) return context_.lint(at, std::move(what));
    if (check.effect < Effect::NeverRuns) return context_.warn(at, std::move(what));
    return rule.at_key ? context_.refuse_key(at, std::move(what))
                       : context_.refuse(at, std::move(what));
  }

  std::string text(PolicyMessage& message, View at) {
    std::string result;
    for (PolicyMessage::Part& part : message.parts) {
      const cel::Program* program =
          part.is_expression ? compiled(part.program, part.text) : nullptr;
      if (program == nullptr) {
        result += part.text;
        continue;
      }
      const cel::Value value = cel::evaluate(*program, variables(at), check_.cel);
      const auto known = cel::text_of(value);
      result += known ? cut_for_message(*known) : cel::type_name(value.type());
    }
    return result;
  }

  PolicyCheck& check_;
  View subject_;
  CheckContext& context_;
  const PodContainer* container_ = nullptr;  // that the path is in
  std::optional<Values> values_;
  bool gave_up_ = false;
};

/// The row of the check has picked the object by group and kind.
bool is_of_version(View object, const PolicyKind& kind) {
  return kind.api_version.empty() || (string_at(object, "apiVersion") == kind.api_version &&
                                      string_at(object, "kind") == kind.kind);
}

}  // namespace

void ask_of_pod(const Pod& pod, PolicyCheck& check, CheckContext& context) {
  PolicyEvaluation(pod.holder, check, context).run(&pod);
}

void ask_of_job(const Job& job, PolicyCheck& check, CheckContext& context) {
  PolicyEvaluation(job.spec, check, context).run(nullptr);
}

void ask_of_object(View object, PolicyCheck& check, CheckContext& context) {
  const bool fits = std::ranges::any_of(
      check.kinds, [&](const PolicyKind& each) { return is_of_version(object, each); });
  if (fits) PolicyEvaluation(object, check, context).run(nullptr);
}

void ask_policy_of_pod(const Pod& pod, CheckContext& context) {
  ask_of_pod(pod, *context.check().policy, context);
}

void ask_policy_of_job(const Job& job, CheckContext& context) {
  ask_of_job(job, *context.check().policy, context);
}

void ask_policy_of_object(View object, CheckContext& context) {
  ask_of_object(object, *context.check().policy, context);
}

}  // namespace trainyard
