// Policies of admission, which the API server evaluates itself.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "admission/admission_registration.h"
#include "admission/admission_scope.h"
#include "admission/name_checks.h"
#include "admission/tables.h"
#include "cel/lexer.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/admissionregistration/validation/validation.go";
constexpr std::uint32_t kMostAnnotations = 20;
constexpr std::size_t kAnnotationExpressionBytes = 5 * 1024;

void match_resources(View match, CheckContext& context) {
  if (!match || !match->is_map()) return;
  check_match_policy(get(match, "matchPolicy"), context);
  check_selector(get(match, "namespaceSelector"), context);
  check_selector(get(match, "objectSelector"), context);
  for (std::string_view key : {"resourceRules", "excludeResourceRules"}) {
    for (View rule : items_at(match, key)) check_request_rule(rule, context);
  }
}

void constraints(View spec, CheckContext& context) {
  const View match = get(spec, "matchConstraints");
  if (!match || !has_items(get(match, "resourceRules"))) {
    context.refuse(match ? match : spec,
                   "the policy does not say what it is about; expected "
                   "`matchConstraints.resourceRules`");
  }
  match_resources(match, context);
}

/// The kind of objects that a policy takes its parameters from.
void param_kind(View kind, CheckContext& context) {
  if (!kind || !kind->is_map()) return;
  require_text(kind, "apiVersion", context);
  require_text(kind, "kind", context);
  const View version = get(kind, "apiVersion");
  const std::string_view text = string_of(version);
  if (text.empty()) return;
  const std::size_t slash = text.find('/');
  const std::string_view group = slash == text.npos ? std::string_view() : text.substr(0, slash);
  const std::string_view own = slash == text.npos ? text : text.substr(slash + 1);
  Fault fault = group.empty() ? std::nullopt : why_not_subdomain(group);
  if (!fault) fault = own.empty() ? Fault("has no version") : why_not_service_name(own);
  if (fault) context.refuse(version, "`apiVersion` " + shown(text) + " " + *fault);
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name.front())) return false;
  const bool plain =
      std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  const bool word = name == "true" || name == "false" || name == "null" || name == "in";
  return plain && !word && !cel::is_reserved(name);
}

bool is_blank(View text) {
  return text && text.kind() == Kind::String &&
         text->text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Reads the variables of a policy one by one: each sees those before it.
class PolicyScope {
 public:
  PolicyScope(View spec, CheckContext& context)
      : has_params_(get(spec, "paramKind")), context_(context) {
    for (View variable : items_at(spec, "variables")) {
      if (variable->is_map()) add(variable);
    }
  }

  void check(View expression, Outcome wanted, bool has_authorizer = true) {
    with_scope(has_authorizer, [&](ExpressionScope& scope) {
      check_expression(expression, scope, wanted, context_);
    });
  }

 private:
  void add(View variable) {
    const View name = get(variable, "name");
    require_text(variable, "name", context_);
    require_text(variable, "expression", context_);
    if (!string_of(name).empty() && !is_identifier(name->text)) {
      context_.refuse(name, shown(name->text) +
                                " is no name of a variable; expected letters, digits and "
                                "underscores, no digit first and no word of the language");
      return;
    }
    check(get(variable, "expression"), Outcome::Any);
    names_.push_back(string_of(name));
  }

  /// What variables are is not followed from one expression to the next.
  template <class Use>
  void with_scope(bool has_authorizer, Use use) {
    ExpressionScope scope;
    declare_request(scope, has_params_, has_authorizer);
    if (!names_.empty()) scope.declare("variables", type_of_variables(scope));
    use(scope);
  }

  /// Of very many, the names are not followed: each expression declares all of them.
  cel::TypeRef type_of_variables(ExpressionScope& scope) const {
    constexpr std::size_t kMostFollowed = 200;
    if (names_.size() > kMostFollowed) return scope.types.unknown();
    std::vector<cel::TypeField> fields;
    for (std::string_view name : names_) {
      fields.push_back({std::string(name), scope.types.unknown()});
    }
    return scope.types.object("variables", std::move(fields));
  }

  bool has_params_;
  CheckContext& context_;
  std::vector<std::string_view> names_;
};

void validation(View one, PolicyScope& scope, CheckContext& context) {
  constexpr auto reasons =
      std::to_array<std::string_view>({"Forbidden", "Invalid", "RequestEntityTooLarge"});
  const View expression = get(one, "expression");
  require_text(one, "expression", context);
  if (!string_of(expression).empty() && is_blank(expression)) {
    context.refuse(expression, "the expression is empty");
  }
  scope.check(expression, Outcome::Bool);
  scope.check(get(one, "messageExpression"), Outcome::String, false);
  for (std::string_view key : {"message", "messageExpression"}) {
    const View text = get(one, key);
    if (!string_of(text).empty() && is_blank(text)) {
      context.refuse(text, shown(key) + " is empty; leave it out");
    }
  }
  const View message = get(one, "message");
  std::string_view text = string_of(message);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  if (text.find('\n') != std::string_view::npos) {
    context.refuse(message, "the message has several lines; expected one");
  }
  context.allow_written(get(one, "reason"), "reason", reasons);
}

void annotations(View object, View spec, PolicyScope& scope, CheckContext& context) {
  const View list = get(spec, "auditAnnotations");
  if (!list || !list->is_seq()) return;
  if (list->size > kMostAnnotations) {
    context.refuse(list, std::to_string(list->size) + " annotations, at most 20 are allowed");
  }
  const std::string_view name = string_at(get(object, "metadata"), "name");
  std::vector<View> seen;
  for (View one : Items(list)) {
    if (!one->is_map()) continue;
    require_text(one, "key", context);
    require_text(one, "valueExpression", context);
    const View key = get(one, "key");
    if (!string_of(key).empty() && !name.empty()) {
      if (const Fault fault = why_not_label_key(std::string(name) + "/" + std::string(key->text))) {
        context.refuse(key, "the key " + shown(key->text) + " " + *fault);
      }
      const auto first = std::ranges::find(seen, key->text, [](View each) { return each->text; });
      if (first != seen.end()) {
        context.refuse(key, "a second annotation " + shown(key->text))
            .also(context.place(*first), "the first one");
      }
      seen.push_back(key);
    }
    const View expression = get(one, "valueExpression");
    if (string_of(expression).size() > kAnnotationExpressionBytes) {
      context.refuse(expression, "the expression has more than 5120 bytes");
    }
    scope.check(expression, Outcome::StringOrNull);
  }
}

/// What both kinds of policy say first. Returns the spec, and none when nothing can be read from
/// it.
View policy_spec(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  if (!spec) context.refuse(object, "a policy without `spec`");
  if (!spec || !spec->is_map()) return {};
  check_failure_policy(get(spec, "failurePolicy"), context);
  param_kind(get(spec, "paramKind"), context);
  constraints(spec, context);
  check_match_conditions(spec, static_cast<bool>(get(spec, "paramKind")), context);
  return spec;
}

void validating_policy(View object, CheckContext& context) {
  const View spec = policy_spec(object, context);
  if (!spec) return;
  PolicyScope scope(spec, context);
  if (!has_items(get(spec, "validations")) && !has_items(get(spec, "auditAnnotations"))) {
    context.refuse(spec, "the policy demands nothing; expected `validations`");
  }
  for (View one : items_at(spec, "validations")) {
    if (one->is_map()) validation(one, scope, context);
  }
  annotations(object, spec, scope, context);
}

/// The patches are expressions with types of their own, and are not compiled here.
void mutating_policy(View object, CheckContext& context) {
  constexpr auto types = std::to_array<std::string_view>({"ApplyConfiguration", "JSONPatch"});
  constexpr auto repeats = std::to_array<std::string_view>({"Never", "IfNeeded"});
  const View spec = policy_spec(object, context);
  if (!spec) return;
  for (View rule : items_at(get(spec, "matchConstraints"), "resourceRules")) {
    for (View operation : items_at(rule, "operations")) {
      if (string_of(operation) == "DELETE") {
        context.refuse(operation, "what is deleted is not changed any more; leave `DELETE` out");
      }
    }
  }
  const View repeat = get(spec, "reinvocationPolicy");
  require_text(spec, "reinvocationPolicy", context);
  context.allow(repeat, "reinvocation policy", repeats);
  if (!has_items(get(spec, "mutations"))) {
    context.refuse(spec, "the policy changes nothing; expected `mutations`");
  }
  for (View one : items_at(spec, "mutations")) {
    if (!one->is_map()) continue;
    require_text(one, "patchType", context);
    const View type = get(one, "patchType");
    context.allow(type, "type of patch", types);
    const View apply = get(one, "applyConfiguration");
    const View patch = get(one, "jsonPatch");
    const bool applies = string_of(type) == "ApplyConfiguration";
    if (!applies && string_of(type) != "JSONPatch") continue;
    const View wanted = applies ? apply : patch;
    const View other = applies ? patch : apply;
    if (!wanted) {
      context.refuse(one, "a patch of type " + shown(type->text) + " needs " +
                              shown(applies ? "applyConfiguration" : "jsonPatch"));
    }
    if (other) {
      context.refuse_key(other,
                         shown(other.key()) + " does not go with the type " + shown(type->text));
    }
    require_text(wanted, "expression", context);
  }
}

/// Where the objects are that a policy takes its parameters from.
void param_ref(View reference, CheckContext& context) {
  constexpr auto actions = std::to_array<std::string_view>({"Allow", "Deny"});
  if (!reference || !reference->is_map()) return;
  const View name = get(reference, "name");
  const View selector = get(reference, "selector");
  if (is_set(name) && selector) {
    context.refuse_key(selector, "`selector` does not go with `name`");
  } else if (!is_set(name) && !selector) {
    context.refuse(reference, "this names nothing; expected `name` or `selector`");
  }
  context.name(name, "object", why_not_path_segment);
  check_selector(selector, context);
  const View action = get(reference, "parameterNotFoundAction");
  if (!is_set(action)) {
    context.refuse(action ? action : reference,
                   "no `parameterNotFoundAction`: expected `Allow` or `Deny`");
  }
  context.allow(action, "action", actions);
}

void actions(View spec, CheckContext& context) {
  constexpr auto known = std::to_array<std::string_view>({"Deny", "Warn", "Audit"});
  const View list = get(spec, "validationActions");
  if (!has_items(list)) {
    context.refuse(list ? list : spec, "no `validationActions`: expected `[Deny]` for instance");
    return;
  }
  std::vector<std::string_view> seen;
  for (View each : Items(list)) {
    context.allow_written(each, "action", known);
    if (std::ranges::find(seen, string_of(each)) != seen.end()) {
      // The schema knows that it is a set.
      if (!context.is_flagged(each)) context.refuse(each, shown(each->text) + " comes twice");
    }
    seen.push_back(string_of(each));
  }
  const auto has = [&](std::string_view word) {
    return std::ranges::find(seen, word) != seen.end();
  };
  if (has("Deny") && has("Warn")) {
    context.refuse(list, "who is denied a request is told why; `Warn` does not go with `Deny`");
  }
}

void binding(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  if (!spec || !spec->is_map()) {
    if (!spec) context.refuse(object, "a binding without `spec`");
    return;
  }
  require_text(spec, "policyName", context);
  context.name(get(spec, "policyName"), "policy", why_not_subdomain);
  param_ref(get(spec, "paramRef"), context);
  match_resources(get(spec, "matchResources"), context);
  if (string_at(object, "kind") == "ValidatingAdmissionPolicyBinding") actions(spec, context);
}

constexpr Check kChecks[] = {
    {.name = "validating-policy",
     .group = CheckGroup::Platform,
     .on = "admissionregistration.k8s.io ValidatingAdmissionPolicy",
     .sentence = "A ValidatingAdmissionPolicy says what it is about and demands something, in "
                 "expressions that compile.",
     .source = kSource,
     .object = validating_policy},
    {.name = "mutating-policy",
     .group = CheckGroup::Platform,
     .on = "admissionregistration.k8s.io MutatingAdmissionPolicy",
     .sentence = "A MutatingAdmissionPolicy says what it is about and changes something.",
     .source = kSource,
     .object = mutating_policy},
    {.name = "policy-binding",
     .group = CheckGroup::Platform,
     .on = "admissionregistration.k8s.io ValidatingAdmissionPolicyBinding "
           "MutatingAdmissionPolicyBinding",
     .sentence = "A binding names a policy, where its parameters are and what happens to requests.",
     .source = kSource,
     .object = binding},
};

}  // namespace

constinit const std::span<const Check> admission_policy_checks = kChecks;

}  // namespace trainyard
