#include <string>
#include <variant>

#include "plan/fields.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// A flag that says no, or a list with nothing in it, asks for nothing.
bool asks_for_something(const RuleContext& context, const PlanValue& found) {
  if (!found.present()) return false;
  if (const auto* flag = std::get_if<bool>(&found.value)) return *flag;
  if (const auto* node = std::get_if<NodeId>(&found.value)) {
    return context.plan.tree[*node].size > 0;
  }
  return true;
}

/// Where a wish of the Cluster is for all jobs, one that cannot have it does without.
bool is_wish_of_cluster(const RuleContext& context, const PlanValue& found) {
  if (!std::holds_alternative<std::string_view>(found.value)) return false;
  const Span place = context.place(found.origin);
  return context.in.cluster != nullptr && place.known() &&
         place.file == context.in.cluster->spec.span.file;
}

/// A machine or a fabric asks for it, in a file that is not the user's.
bool is_of_catalogue(const RuleContext& context, Span place) {
  if (!place.known() || place.file == context.in.job->spec.span.file) return false;
  return context.in.cluster == nullptr || place.file != context.in.cluster->spec.span.file;
}

OriginId origin_of(const RuleContext& context, const PlanValue& found) {
  if (found.origin != kNoOrigin) return found.origin;
  if (const auto* list = std::get_if<std::span<const Fragment>>(&found.value)) {
    return list->front().origin;
  }
  if (const auto* pairs = std::get_if<std::span<const NamedValue>>(&found.value)) {
    return pairs->front().origin;
  }
  return context.plan.name.origin;
}

/// Containers beside the one that trains stand in the plan as a list only.
void check_list(RuleContext& context, const Scope& scope, std::string_view path) {
  const PlanLoop* list = find_plan_loop(path);
  if (list == nullptr || list->size(scope) == 0) return;
  const bool sidecars = !scope.role->sidecars.empty();
  const OriginId origin = sidecars ? scope.role->sidecars.front().origin : context.plan.name.origin;
  const Span known = context.place(origin);
  const Span place = known.known() ? known : context.in.job->spec.span;
  context
      .report(DiagnosticKind::NotExpressible, place,
              "target " + code(context.in.target->name) + " cannot express " +
                  code(path.substr(path.find('.') + 1)) + " of its pods")
      .note("its objects have no place for it");
}

void check(RuleContext& context, const Role& role, std::string_view path) {
  const PlanField* field = find_plan_field(path);
  Scope scope;
  scope.plan = &context.plan;
  scope.role = &role;
  if (field == nullptr) return check_list(context, scope, path);
  const PlanValue found = field->get(scope);
  if (!asks_for_something(context, found)) return;
  const Span place = context.place(origin_of(context, found));
  const bool wish = is_wish_of_cluster(context, found);
  const std::string target = "target " + code(context.in.target->name);
  const std::string what = code(path.substr(path.find('.') + 1));
  std::string sentence(field->sentence);
  sentence[0] = static_cast<char>(sentence[0] | 0x20);
  sentence.pop_back();
  const bool catalogue = is_of_catalogue(context, place);
  Diagnostic& report = context
                           .report(wish ? DiagnosticKind::NoEffect : DiagnosticKind::NotExpressible,
                                   place.known() && !catalogue ? place : context.in.job->spec.span,
                                   wish ? what + " has no effect on jobs of " + target
                                        : target + " cannot express " + what + " of its pods")
                           .note("its objects have no place for it: " + sentence);
  if (catalogue) report.also(place, "what brings it along");
}

void run(RuleContext& context) {
  for (const Role& role : context.plan.roles) {
    for (std::string_view path : context.in.target->lacking) check(context, role, path);
  }
}

}  // namespace

extern const Rule lacking_parts_check_rule{
    "lacking-parts-check",
    Rule::Phase::Check,
    "What a fabric or the Cluster adds to pods, and the target's objects have no place for, is an "
    "error.",
    "A target without a pod template says in `lacking` which parts of a pod it cannot hold; "
    "without "
    "them a job would run, and run wrong.",
    "role.initContainers role.sidecars role.affinity role.spread role.envFrom role.ports "
    "role.hostNetwork role.privileged role.resourceClaims role.serviceAccount role.priorityClass "
    "role.scheduler role.runtimeClass role.imagePullPolicy role.gracePeriod role.podAnnotations "
    "role.capabilities target.lacking",
    "",
    run};

}  // namespace trainyard
