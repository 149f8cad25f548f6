#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "admission/expressions.h"
#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr OperatorSpan kFlux{.name = "flux"};
/// The identity of a Kustomization. One that names no namespace counts as in the namespace of the
/// object that refers to it.
struct Place {
  std::string_view name_space;
  std::string_view name;

  auto operator<=>(const Place&) const = default;
};

/// Follows what Kustomizations depend on, back to where it began.
class CircleSearch {
 public:
  CircleSearch(const Inventory& around, Place begin) : around_(around), begin_(begin) {}

  /// The names on the way from `object` to the beginning, the last one first; empty where no way
  /// leads there. A circle is that of the first of its Kustomizations, so that it is reported once.
  std::vector<std::string_view> back_from(View object) {
    for (View each : items_at(get(object, "spec"), "dependsOn")) {
      const std::string_view space = string_at(each, "namespace");
      const Place other{space.empty() ? begin_.name_space : space, string_at(each, "name")};
      if (other == begin_) return {other.name};
      if (other.name_space != begin_.name_space || other < begin_ || !is_new(other)) continue;
      const View next = around_.find("kustomize.toolkit.fluxcd.io", "Kustomization",
                                     other.name_space, other.name);
      std::vector<std::string_view> way = next ? back_from(next) : std::vector<std::string_view>();
      if (way.empty()) continue;
      way.push_back(other.name);
      return way;
    }
    return {};
  }

 private:
  bool is_new(const Place& place) { return seen_.size() < kMost && seen_.insert(place).second; }

  static constexpr std::size_t kMost = 1000;  // Kustomizations on all ways

  const Inventory& around_;
  Place begin_;
  std::set<Place> seen_;
};

/// Each waits until those that it depends on are ready.
void circles(View object, CheckContext& context) {
  const View list = get(get(object, "spec"), "dependsOn");
  const View name = metadata_name(object);
  if (!has_items(list) || string_of(name).empty()) return;
  const Inventory* around = context.inventory();
  if (around == nullptr) return;
  const auto way =
      CircleSearch(*around, {metadata_namespace(object), name->text}).back_from(object);
  if (way.size() < 2) return;  // another check reports itself
  std::string path = shown(name->text);
  for (std::size_t i = way.size(); i-- > 0;) path += " on " + shown(way[i]);
  context.refuse(
      list, "Kustomizations depend on each other in a circle, and none is ever applied: " + path);
}

bool is_name_letter(char c) {
  return is_alphanumeric(c) || c == '_';
}

/// Declares the names in an expression: each may be a field of the object whose health is asked
/// for. Nearly all objects have these five.
void declare_fields(std::string_view text, ExpressionScope& scope) {
  constexpr auto kFields =
      std::to_array<std::string_view>({"apiVersion", "kind", "metadata", "spec", "status"});
  for (const std::string_view field : kFields) scope.declare(field, scope.types.dynamic());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    const std::string_view name = text.substr(i, end - i);
    const bool is_field = i > 0 && (text[i - 1] == '.' || text[i - 1] == '?');
    if (!name.empty() && !is_field && !suggest(name, kFields)) {
      scope.declare(name, scope.types.dynamic());
    }
    i = std::max(end, i + 1);
  }
}

/// fluxcd/pkg runtime/cel/status_evaluator.go
void health_expressions(View kustomization, CheckContext& context) {
  for (const View each : items_at(get(kustomization, "spec"), "healthCheckExprs")) {
    for (const std::string_view field : {"current", "inProgress", "failed"}) {
      ExpressionScope scope;
      const View expression = get(each, field);
      if (string_of(expression).find("base64.") != std::string_view::npos) continue;
      declare_fields(string_of(expression), scope);
      check_expression(expression, scope, Outcome::BoolOrAny, context);
    }
  }
}

/// fluxcd/kustomize-controller internal/controller/kustomization_controller.go evalReadyExpr
void ready_expressions(View kustomization, CheckContext& context) {
  for (const View each : items_at(get(kustomization, "spec"), "dependsOn")) {
    ExpressionScope scope;
    const cel::TypeRef object = scope.types.map(scope.text(), scope.types.dynamic());
    scope.declare("self", object);
    scope.declare("dep", object);
    check_expression(get(each, "readyExpr"), scope, Outcome::Bool, context);
  }
}

void expressions(View kustomization, CheckContext& context) {
  health_expressions(kustomization, context);
  ready_expressions(kustomization, context);
}

constexpr Check kChecks[] = {
    {.name = "flux-circles",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .on = "kustomize.toolkit.fluxcd.io Kustomization",
     .sentence = "Kustomizations do not depend on each other in a circle.",
     .source = "fluxcd/kustomize-controller internal/controller/kustomization_controller.go "
               "checkDependencies: each must be ready",
     .object = circles,
     .operators = kFlux},
    {.name = "health-expression",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .on = "kustomize.toolkit.fluxcd.io Kustomization",
     .sentence = "Expressions on the health of objects, and on what a Kustomization waits for, "
                 "compile and come to yes or no.",
     .source = "fluxcd/pkg runtime/cel/expression.go, runtime/cel/status_evaluator.go",
     .object = expressions,
     .operators = kFlux},
};

}  // namespace

constinit const std::span<const Check> flux_checks = kChecks;

}  // namespace trainyard
