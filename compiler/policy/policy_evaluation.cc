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
  PolicyEvaluation(View subject, CheckContext& context)
      : check_(*context.check().policy),
        subject_(subject),
        context_(context),
        cel_(check_.cel),
        values_(subject.tree()),
        variables_(check_.variables.size(), cel::Value::null()) {
    cel_.heap.clear();
    cel_.set_budget(kSteps);
    if (context.old()) old_values_.emplace(context.old().tree());
  }

  void run(const Pod* pod) {
    for (const PolicyRule& rule : check_.rules) {
      const bool of_containers = pod != nullptr && !rule.path.parts.empty() &&
                                 rule.path.parts.front().name == "containers";
      if (!of_containers) {
        rule.path.each(subject_, [&](View at) { ask(rule, at); });
        continue;
      }
      for (const PodContainer& each : pod->containers) {
        set(kPolicyContainer, values_.value(each.node.id()));
        set(kPolicyRole, cel::Value::string(kRoleWords.at(static_cast<std::size_t>(each.role))));
        rule.path.each(each.node, [&](View at) { ask(rule, at); }, 2);
      }
      set(kPolicyContainer, cel::Value::null());
      set(kPolicyRole, cel::Value::null());
    }
  }

 private:
  void set(std::size_t variable, const cel::Value& value) { variables_[variable] = value; }

  /// What all rules see; made when the first of them has something to look at.
  void prepare() {
    if (is_prepared_) return;
    is_prepared_ = true;
    set(kPolicyObject, values_.value(context_.object().id()));
    if (old_values_) set(kPolicyOld, old_values_->value(context_.old().id()));
    if (check_.subject == PolicyCheck::Subject::Pod) set(kPolicyPod, values_.value(subject_.id()));
    if (check_.subject == PolicyCheck::Subject::Job) set(kPolicyJob, values_.value(subject_.id()));
    std::size_t variable = kPolicyVariables;
    for (const PolicyExpression& each : check_.lets) {
      const auto known = std::span(variables_).first(variable);
      set(variable++, cel::evaluate(*each.program, known, cel_));
    }
  }

  void ask(const PolicyRule& rule, View at) {
    if (gave_up_) return;
    prepare();
    if (rule.refuse.program) return refuse(rule, at);
    if (!rule.words.empty()) return words(rule, at);
    if (rule.range) return range(rule, at);
    if (!rule.format.empty()) return format(rule, at);
    if (rule.unique) unique(rule, at);
  }

  void refuse(const PolicyRule& rule, View at) {
    set(kPolicySelf, values_.value(at.id()));
    set(kPolicyKey, cel::Value::string(at.key()));
    const cel::Value value = cel::evaluate(*rule.refuse.program, variables_, cel_);
    if (value.is_false()) return;
    if (value.is_true()) {
      report(rule, at, "");
      return;
    }
    gave_up_ = cel_.exhausted();
    const std::string why = gave_up_           ? "it takes too many steps"
                            : value.is_error() ? std::string(value.text())
                                               : "it comes to no bool";
    context_
        .policy(DiagnosticKind::BadPolicy, at,
                "check " + shown(context_.check().name) + " cannot judge this: " + why, false)
        .also(rule.refuse.at->span, "the expression");
  }

  void words(const PolicyRule& rule, View at) {
    const std::string_view word = at.text();
    const bool is_text = at.is_scalar();
    if (is_text && std::ranges::find(rule.words, word) != rule.words.end()) return;
    const std::vector<std::string> names(rule.words.begin(), rule.words.end());
    Diagnostic& found =
        report(rule, at,
               (is_text ? shown(word) + " is not allowed here" : std::string("this is no text")) +
                   "; expected " + listed(names, "or"));
    const auto near = suggest(word, rule.words);
    if (near && !context_.is_ours()) {
      found.fix(at->span, std::string(*near), "write " + shown(*near));
    }
  }

  void range(const PolicyRule& rule, View at) {
    const auto [least, most] = *rule.range;
    const cel::Value value = values_.value(at.id());
    const double number = value.is(cel::Type::Int)      ? static_cast<double>(value.as_int())
                          : value.is(cel::Type::Double) ? value.as_double()
                                                        : std::nan("");
    if (number >= least && number <= most) return;
    report(rule, at,
           shown(at.text()) + " is not allowed here; expected a number from " + number_text(least) +
               " to " + number_text(most));
  }

  void format(const PolicyRule& rule, View at) {
    std::vector<std::string> faults;
    check_rule_format(rule.format, string_of(at), faults);
    if (at.kind() == Kind::String && faults.empty()) return;
    report(rule, at,
           at.kind() != Kind::String
               ? "this is no text; expected a " + std::string(rule.format)
               : "expected a " + std::string(rule.format) + ": " + faults.front());
  }

  void unique(const PolicyRule& rule, View at) {
    if (!at->is_seq()) return;
    std::map<std::string_view, View> seen;
    for (View item : Items(at)) {
      const View value = rule.unique->empty() ? item : get(item, *rule.unique);
      if (!value || !value.is_scalar()) continue;
      const auto [first, is_new] = seen.emplace(value.text(), value);
      if (is_new) continue;
      report(rule, value, shown(value.text()) + " is there twice")
          .also(context_.place(first->second), "also here");
    }
  }

  /// `what` is the message of a rule that has none.
  Diagnostic& report(const PolicyRule& rule, View at, std::string what) {
    set(kPolicySelf, values_.value(at.id()));
    set(kPolicyKey, cel::Value::string(at.key()));
    if (!rule.message.parts.empty()) what = text(rule.message);
    Diagnostic& found =
        context_.policy(DiagnosticKind::PolicyBroken, at, std::move(what), rule.at_key);
    if (rule.also) {
      if (const View second = rule.also->first(subject_)) {
        found.also(context_.place(second), std::string(rule.also_text));
      }
    }
    return found.also(rule.at->span, "the rule");
  }

  std::string text(const PolicyMessage& message) {
    std::string result;
    for (const PolicyMessage::Part& part : message.parts) {
      if (!part.program) {
        result += part.text;
        continue;
      }
      const cel::Value value = cel::evaluate(*part.program, variables_, cel_);
      const auto known = cel::text_of(value);
      result += known ? cut_for_message(*known) : cel::type_name(value.type());
    }
    return result;
  }

  PolicyCheck& check_;
  View subject_;
  CheckContext& context_;
  cel::Context& cel_;
  cel::TreeValues values_;
  std::optional<cel::TreeValues> old_values_;
  std::vector<cel::Value> variables_;
  bool is_prepared_ = false;
  bool gave_up_ = false;
};

/// `batch` and `v1` of `batch/v1`; "" and `v1` of `v1`.
bool is_of_kind(View object, const PolicyKind& kind) {
  const std::string_view api_version = string_at(object, "apiVersion");
  const std::size_t slash = api_version.find('/');
  const std::string_view version =
      slash == api_version.npos ? api_version : api_version.substr(slash + 1);
  return string_at(object, "kind") == kind.kind && group_of(api_version) == kind.group &&
         (kind.version.empty() || kind.version == version);
}

}  // namespace

void ask_policy_of_pod(const Pod& pod, CheckContext& context) {
  PolicyEvaluation(pod.holder, context).run(&pod);
}

void ask_policy_of_job(const Job& job, CheckContext& context) {
  PolicyEvaluation(job.spec, context).run(nullptr);
}

void ask_policy_of_object(View object, CheckContext& context) {
  const std::vector<PolicyKind>& kinds = context.check().policy->kinds;
  const bool fits =
      std::ranges::any_of(kinds, [&](const PolicyKind& each) { return is_of_kind(object, each); });
  if (fits) PolicyEvaluation(object, context).run(nullptr);
}

}  // namespace trainyard
