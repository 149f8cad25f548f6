// Rules (CEL) in the schemas of a CustomResourceDefinition.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "admission/crd_costs.h"
#include "admission/crd_paths.h"
#include "admission/crd_types.h"
#include "admission/expressions.h"
#include "admission/name_checks.h"
#include "admission/tables.h"
#include "cel/program.h"
#include "check/check.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_blank(View text) {
  return text && text.kind() == Kind::String &&
         text->text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// How a cost that is not to be believed reads: `3 million times`.
std::string times(double cost, double limit) {
  constexpr double kMillion = 1e6;
  const double ratio = cost / limit;
  if (ratio >= 2 * kMillion) return "more than a million times";
  return ratio < 2 ? "more than" : std::to_string(static_cast<std::int64_t>(ratio)) + " times";
}

/// Goes through a schema with what is known of each place.
class SchemaRules {
 public:
  explicit SchemaRules(CheckContext& context) : context_(context) {}

  /// The schema of a version, whose rules may each be good and be too much together.
  void all(View root) {
    schema(root, true, true, 1);
    if (total_ <= kMostOfSchema || told_) return;
    context_
        .refuse(dearest_,
                "by the API server's estimate all rules of this schema together may cost " +
                    times(total_, kMostOfSchema) + " what it allows, and this one the most")
        .note(kSmaller);
  }

 private:
  /// `often` is how many values of the schema an object can have; nothing where lists or maps above
  /// have no limit.
  void schema(View schema, bool is_object, bool correlates, std::optional<double> often) {
    if (!schema || !schema->is_map()) return;
    for (View rule : items_at(schema, "x-kubernetes-validations")) {
      if (rule->is_map()) {
        this->rule(rule, schema, is_object, correlates, often.value_or(most_often(schema)));
      }
    }
    // What is in a map is found again by name, and be the map atomic.
    for (View each : entries_at(schema, "properties")) below(each, correlates, often);
    const std::optional<double> parts = times_limit(schema, often);
    below(get(schema, "additionalProperties"), correlates, parts);
    // Items are found again by their keys, and by nothing else.
    const bool keyed = string_at(schema, "x-kubernetes-list-type") == "map";
    below(get(schema, "items"), correlates && keyed, parts);
  }

  void below(View part, bool correlates, std::optional<double> often) {
    if (!part) return;
    schema(part, is_true(get(part, "x-kubernetes-embedded-resource")), correlates, often);
  }

  /// A list of at most so many items has as many values below it.
  static std::optional<double> times_limit(View schema, std::optional<double> often) {
    const bool limited = get(schema, "maxItems") || get(schema, "maxProperties");
    const std::optional<double> most = most_items(schema);
    return often && most && limited ? std::optional(*often * *most) : std::nullopt;
  }

  static constexpr const char* kSmaller =
      "it counts the largest object: give `maxItems`, `maxProperties` and `maxLength` to what the "
      "rule goes through and to what it stands in";

  /// What the API server would not even try, however small the objects are that are meant.
  void cost(View expression, const cel::Program& program, View schema, double often) {
    const double cost = least_cost(program, schema) * often;
    total_ += cost;
    if (cost > dearest_cost_) {
      dearest_cost_ = cost;
      dearest_ = expression;
    }
    if (cost <= kMostOfRule) return;
    told_ = true;
    context_
        .refuse(expression, "by the API server's estimate the rule may cost " +
                                times(cost, kMostOfRule) + " what it allows")
        .note(kSmaller);
  }

  void rule(View rule, View schema, bool is_object, bool correlates, double often) {
    texts(rule, schema);
    const View expression = get(rule, "rule");
    if (string_of(expression).empty() || is_blank(expression)) return;
    constexpr std::array<std::string_view, 2> names = {"self", "oldSelf"};
    const cel::Compiled compiled = cel::compile(string_of(expression), names);
    ExpressionScope scope;
    if (!compiled.program) {
      scope.declare("self", scope.types.unknown());
      scope.declare("oldSelf", scope.types.unknown());
      check_expression(expression, scope, Outcome::Bool, context_);
      return;
    }
    const bool changes = compiled.program->uses(1);
    const View optional = get(rule, "optionalOldSelf");
    if (changes && !correlates) {
      context_.refuse(expression,
                      "`oldSelf` is not known here: nothing tells which item of the list was "
                      "this one before");
    } else if (!changes && optional) {
      context_.refuse_key(optional, "the rule does not ask for `oldSelf`; leave this out");
    }
    const cel::TypeRef self = type_of_schema(schema, is_object, scope.types);
    if (self == nullptr) {
      context_.refuse(expression, "the schema says too little of the value for a rule about it");
      return;
    }
    scope.declare("self", self);
    scope.declare("oldSelf", is_true(optional) ? scope.types.optional(self) : self);
    check_expression(expression, scope, Outcome::Bool, context_);
    check_expression(get(rule, "messageExpression"), scope, Outcome::String, context_);
    cost(expression, *compiled.program, schema, often);
    const View said = get(rule, "messageExpression");
    if (string_of(said).empty()) return;
    const cel::Compiled message = cel::compile(string_of(said), names);
    if (message.program) cost(said, *message.program, schema, 1);  // made for one value
  }

  void texts(View rule, View schema) {
    constexpr auto reasons = std::to_array<std::string_view>(
        {"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"});
    require_text(rule, "rule", context_);
    const View expression = get(rule, "rule");
    if (!string_of(expression).empty() && is_blank(expression)) {
      context_.refuse(expression, "the rule is empty");
    }
    for (std::string_view key : {"message", "messageExpression", "fieldPath"}) {
      const View text = get(rule, key);
      if (!string_of(text).empty() && is_blank(text)) {
        context_.refuse(text, shown(key) + " is empty; leave it out");
      }
    }
    const View message = get(rule, "message");
    const std::string_view said = trimmed(string_of(message));
    if (said.find('\n') != said.npos) {
      context_.refuse(message, "the message has several lines; expected one");
    } else if (trimmed(string_of(expression)).find('\n') != said.npos && said.empty()) {
      context_.refuse(rule, "a rule of several lines needs a `message`");
    }
    context_.allow_written(get(rule, "reason"), "reason", reasons);
    const View path = get(rule, "fieldPath");
    if (!is_blank(path) && !string_of(path).empty() && path->text.front() != '.' &&
        path->text.front() != '[') {
      context_.refuse(path, "the path begins with `.`, as in `.spec.replicas`");
    } else if (!is_blank(path) && !string_of(path).empty()) {
      if (const auto fault = follow_path(path->text, schema).fault) {
        context_.refuse(path, "path " + shown(path->text) + " leads nowhere: " + *fault);
      }
    }
  }

  CheckContext& context_;
  double total_ = 0;
  double dearest_cost_ = 0;
  View dearest_;
  bool told_ = false;  // of a rule that is too much by itself
};

void crd_rules(View object, CheckContext& context) {
  for (View version : items_at(get(object, "spec"), "versions")) {
    SchemaRules(context).all(get(get(version, "schema"), "openAPIV3Schema"));
  }
}

constexpr Check kChecks[] = {
    {.name = "crd-rules",
     .group = CheckGroup::Platform,
     .on = "apiextensions.k8s.io CustomResourceDefinition",
     .sentence = "The rules of a CustomResourceDefinition are about fields that its schema has, "
                 "come to yes or no, and say what is wrong in one line.",
     .source = "kubernetes/apiextensions-apiserver pkg/apiserver/schema/cel/compilation.go",
     .object = crd_rules},
};

}  // namespace

constinit const std::span<const Check> crd_rule_checks = kChecks;

}  // namespace trainyard
