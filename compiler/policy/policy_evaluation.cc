#include "policy/policy_evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cel/collections.h"
#include "cel/evaluate.h"
#include "cel/text_of.h"
#include "cel/tree_values.h"
#include "check/check.h"
#include "check/missing_objects.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/metadata.h"
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

/// A document as the API server decodes it: a field that is null is missing.
class DecodedValues : public cel::TreeValues {
 public:
  using cel::TreeValues::TreeValues;
  std::optional<cel::Value> find(const cel::Value& map, std::string_view key) const override {
    const auto found = TreeValues::find(map, key);
    return found && found->is(cel::Type::Null) ? std::nullopt : found;
  }
};

/// One check on one object, pod template or spec of a Job.
class PolicyEvaluation {
 public:
  PolicyEvaluation(View subject, PolicyCheck& check, CheckContext& context)
      : check_(check), subject_(subject), context_(context) {}

  void run(const Pod* pod) {
    PolicyWalk& walk = *check_.walk;
    walk.start(subject_, pod);
    for (PolicyRule& rule : check_.rules) {
      if (!holds(rule.releases)) continue;
      if (!rule.stays.empty()) {
        stays(rule);
        continue;
      }
      for (const PolicyRulePath& path : rule.paths) {
        if (!path.kind.empty() && path.kind != kind()) continue;
        for (const auto& [at, container] : walk.values(path.number)) {
          container_ = container;
          ask(rule, at);
        }
      }
    }
  }

 private:
  bool holds(const PolicyReleases& releases) const {
    const Versions& versions = context_.versions();
    if (!releases.operators.name.empty() && !versions.within(releases.operators)) return false;
    const auto since = releases.since.empty() ? std::nullopt : kubernetes_version(releases.since);
    if (since && versions.kubernetes < *since) return false;
    return releases.before.empty() || versions.kubernetes < kubernetes_version(releases.before);
  }

  std::string_view kind() const { return string_at(context_.object(), "kind"); }

  void ask(PolicyRule& rule, View at) {
    if (gave_up_) return;
    if (rule.refuse.at) {
      if (is_true(rule, rule.refuse, at)) report(rule, at, "");
      return;
    }
    if (!rule.words.empty()) return words(rule, at);
    if (rule.refers.at) return refers(rule, at);
    if (rule.names) return names(rule, at);
    if (rule.range) return range(rule, at);
    if (!rule.format.empty()) return format(rule, at);
    if (rule.unique) unique(rule, at);
  }

  /// The variables of expressions for the value at `at`.
  std::span<cel::Value> variables(View at) {
    const std::span<cel::Value> all = check_.values;
    const bool is_first = !of_tree_;
    if (is_first) of_tree_.emplace(subject_.tree());
    all[kPolicySelf] = of_tree_->value(at.id());
    all[kPolicyKey] = cel::Value::string(at.key());
    all[kPolicyFault] = cel::Value::string(fault_);
    if (container_ == nullptr) {
      all[kPolicyContainer] = all[kPolicyRole] = cel::Value::null();
    } else {
      all[kPolicyContainer] = of_tree_->value(container_->node.id());
      all[kPolicyRole] =
          cel::Value::string(kRoleWords.at(static_cast<std::size_t>(container_->role)));
    }
    if (is_first) prepare(all);
    return all;
  }

  /// What all rules see.
  void prepare(std::span<cel::Value> all) {
    check_.cel.heap.clear();
    check_.cel.set_budget(kSteps);
    const View old = context_.old();
    const cel::Value subject = of_tree_->value(subject_.id());
    const auto subject_if = [&](PolicyCheck::Subject wanted) {
      return check_.subject == wanted ? subject : cel::Value::null();
    };
    all[kPolicyObject] = of_tree_->value(context_.object().id());
    all[kPolicyOld] = old ? of_old_.emplace(old.tree()).value(old.id()) : cel::Value::null();
    all[kPolicyPod] = subject_if(PolicyCheck::Subject::Pod);
    all[kPolicyJob] = subject_if(PolicyCheck::Subject::Job);
    all[kPolicyPart] = cel::Value::null();
    for (const PolicyPart& each : check_.parts) {
      const View part = each.kind == kind() ? each.path.first(subject_) : View();
      if (part) all[kPolicyPart] = of_tree_->value(part.id());
    }
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
    if (gave_up_) return false;
    if (!expression.simple.terms.empty()) {
      if (const auto known = expression.simple.of(at)) return *known;
    }
    const cel::Program* program = compiled(expression);
    if (program == nullptr) return false;
    const cel::Value value = cel::evaluate(*program, variables(at), check_.cel);
    if (value.is_false()) return false;
    if (value.is_true()) return true;
    cannot_judge(rule, expression, at, value, "it comes to no bool");
    return false;
  }

  void cannot_judge(const PolicyRule& rule, const PolicyExpression& expression, View at,
                    const cel::Value& value, std::string_view otherwise) {
    gave_up_ = check_.cel.exhausted();
    if (is_ours()) return;  // a value of another type: its schema refuses it
    const std::string_view why = gave_up_           ? "it takes too many steps"
                                 : value.is_error() ? value.text()
                                                    : otherwise;
    context_
        .policy(DiagnosticKind::BadPolicy, at,
                "check " + shown(context_.check().name) + " cannot judge this: " + std::string(why),
                rule.at_key)
        .also(expression.at->span, "the expression");
  }

  void words(PolicyRule& rule, View at) {
    const bool is_text = rule.at_key || at.is_scalar();
    expect(rule, at, rule.words, is_text ? " is not allowed here" : "");
  }

  /// What is no text is left to the schema.
  void refers(PolicyRule& rule, View at) {
    const cel::Program* program = compiled(rule.refers);
    if (program == nullptr || (!rule.at_key && at.kind() != Kind::String)) return;
    const cel::Value list = cel::evaluate(*program, variables(at), check_.cel);
    if (!list.is(cel::Type::List)) {
      cannot_judge(rule, rule.refers, at, list, "it comes to no list");
      return;
    }
    std::vector<std::string_view> names;
    for (cel::Walker each(list); each; each.next()) {
      if (each.value().is(cel::Type::String)) names.push_back(each.value().text());
    }
    expect(rule, at, names, " is not there");
  }

  /// A text that names an object: one of its kind must have the name, if the inputs hold any. Our
  /// own checks leave out objects that may be in the cluster alone.
  void names(PolicyRule& rule, View at) {
    const std::string_view name = rule.at_key ? at.key() : string_of(at);
    const Inventory* around = name.empty() ? nullptr : context_.inventory();
    const auto& [group, version, kind, api_version] = *rule.names;
    if (around == nullptr || !around->has_any(group, kind)) return;
    const std::string_view space = metadata_namespace(context_.object());
    if (around->has(group, kind, space, name)) return;
    const MissingObject missing = missing_object(group, kind, space, at, name, context_);
    if (is_ours() && !missing) return;
    Diagnostic* found = report(
        rule, at,
        "there is no " + std::string(kind) + " " + shown(name) + " among those that are given");
    if (found != nullptr && is_ours()) missing.label(*found, context_);
  }

  void stays(PolicyRule& rule) {
    const View old = context_.old();
    if (!old) return;
    for (const PolicyPath& path : rule.stays) {
      const View was = path.first(old);
      const View now = path.first(subject_);
      const bool is_same =
          was && now ? equal(was.tree(), was.id(), now.tree(), now.id()) : !was && !now;
      if (is_same) continue;
      const std::string what = now && was ? " cannot change"
                               : was      ? " cannot be taken away"
                                          : " cannot be added";
      report(rule, now ? now : nearest(path), shown(path.parts.back().name) + what);
    }
  }

  static View first(const std::vector<PolicyPath>& paths, View from) {
    for (const PolicyPath& path : paths) {
      if (const View found = path.first(from)) return found;
    }
    return {};
  }

  /// The last thing on the way to a value that is not there.
  View nearest(const PolicyPath& path) const {
    View at = subject_;
    for (const PolicyPath::Part& part : path.parts) {
      const View next = get(at, part.name);
      if (!next) break;
      at = next;
    }
    return at;
  }

  /// `what` follows a text that is none of these; "" for what is no text.
  void expect(PolicyRule& rule, View at, const std::vector<std::string_view>& words,
              std::string_view what) {
    const bool is_key = rule.at_key;
    const std::string_view word = is_key ? at.key() : at.text();
    if (!what.empty() && std::ranges::find(words, word) != words.end()) return;
    const std::vector<std::string> names(words.begin(), words.end());
    std::string message = what.empty() ? "this is no text" : shown(word) + std::string(what);
    if (!rule.message.parts.empty()) message = text(rule.message, at);
    if (!names.empty()) message += "; expected " + listed(names, "or");
    Diagnostic* found = report(rule, at, std::move(message));
    const auto near = suggest(word, words);
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
    const ValueFormat* const ours = rule.value_format;
    if (ours != nullptr && ours->value != nullptr) {
      if (!rule.when.at || is_true(rule, rule.when, at)) ours->value(at, context_);
      return;
    }
    std::vector<std::string> faults;
    if (ours == nullptr) {
      check_rule_format(rule.format, string_of(at), faults);
    } else if (const Fault fault = ours->text(string_of(at))) {
      faults.push_back(shown(string_of(at)) + " " + *fault);
    }
    if (at.kind() == Kind::String && faults.empty()) return;
    fault_ = faults.empty() ? "is no text" : faults.front();
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
      if (!value || !value.is_scalar() || value.text().empty()) continue;
      const auto [first, is_new] = seen.emplace(value.text(), value);
      if (is_new) continue;
      Diagnostic* found = report(rule, value, shown(value.text()) + " is there twice");
      if (found != nullptr) found->also(context_.place(first->second), "the first one");
    }
  }

  /// A rule whose file is part of the program.
  bool is_ours() const { return context_.check().policy == nullptr; }

  /// `what` is the message of a rule that has none. Null if `when` does not hold.
  Diagnostic* report(PolicyRule& rule, View at, std::string what) {
    if (rule.when.at && !is_true(rule, rule.when, at)) return nullptr;
    const bool is_list = !rule.words.empty() || rule.refers.at;
    if (!rule.message.parts.empty() && !is_list) what = text(rule.message, at);
    const View value = at;
    if (rule.field) {
      if (const View field = rule.field->first(value)) at = field;
    }
    Diagnostic& found = told(rule, at, std::move(what));
    if (!rule.note.empty()) found.note(std::string(rule.note));
    if (!rule.also.empty()) {
      if (const View second = first(rule.also, rule.also_in_value ? value : subject_)) {
        found.also(context_.place(second), std::string(rule.also_text));
      }
    }
    if (!is_ours()) found.also(rule.at->span, "the rule");
    return &found;
  }

  Diagnostic& told(const PolicyRule& rule, View at, std::string what) {
    const Check& check = context_.check();
    if (!rule.severity) return told(check, rule, at, std::move(what));
    Check other = check;
    other.severity = *rule.severity;
    context_.use(other);
    Diagnostic& found = told(other, rule, at, std::move(what));
    context_.use(check);
    return found;
  }

  Diagnostic& told(const Check& check, const PolicyRule& rule, View at, std::string what) {
    if (!is_ours()) {
      return context_.policy(DiagnosticKind::PolicyBroken, at, std::move(what), rule.at_key);
    }
    if (check.is_lint()) return context_.lint(at, std::move(what));
    if (check.severity != Severity::Error) {
      Diagnostic& found = context_.warn(at, std::move(what));
      if (found.severity == Severity::Warning) found.severity = check.severity;
      return found;
    }
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
      if (!known) {
        result += cel::type_name(value.type());
      } else if (*known == fault_) {
        result += *known;  // has cut the value that it shows
      } else {
        result += cut_for_message(*known);
      }
    }
    return result;
  }

  PolicyCheck& check_;
  View subject_;
  CheckContext& context_;
  const PodContainer* container_ = nullptr;  // that the path is in
  // What expressions see; made when the first of them is evaluated.
  std::optional<DecodedValues> of_tree_;
  std::optional<DecodedValues> of_old_;
  std::string fault_;  // that a format found
  bool gave_up_ = false;
};

/// The row of the check has picked the object by group and kind.
bool is_of_version(View object, const PolicyCheck& check) {
  const std::string_view version = string_at(object, "apiVersion");
  const std::string_view kind = string_at(object, "kind");
  return std::ranges::any_of(check.kinds, [&](const PolicyKind& each) {
    return each.api_version.empty() || (each.api_version == version && each.kind == kind);
  });
}

}  // namespace

void ask_of_pod(const Pod& pod, PolicyCheck& check, CheckContext& context) {
  PolicyEvaluation(pod.holder, check, context).run(&pod);
}

void ask_of_job(const Job& job, PolicyCheck& check, CheckContext& context) {
  PolicyEvaluation(job.spec, check, context).run(nullptr);
}

void ask_of_object(View object, PolicyCheck& check, CheckContext& context) {
  if (!check.of_versions || is_of_version(object, check))
    PolicyEvaluation(object, check, context).run(nullptr);
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
