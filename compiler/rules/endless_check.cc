#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  const std::string_view why = context.in.target->endless;
  if (why.empty()) return;
  const Text& target = context.spec.target;
  context
      .report(DiagnosticKind::RunsWrong, target ? target.span : context.in.job->spec.span,
              "this job never ends on target " + code(context.in.target->name) + ": " +
                  std::string(why))
      .note("delete it when its work is done, or choose another target");
}

}  // namespace

extern const Rule endless_check_rule{
    "endless-check",
    Rule::Phase::Check,
    "A training job on a system that starts finished pods again is pointed out.",
    "It holds its GPUs until a user deletes it, and trains again meanwhile (kubernetes-sigs/lws "
    "pkg/controllers/leaderworkerset_controller.go makes StatefulSets).",
    "spec.target target.failures",
    "",
    run};

}  // namespace trainyard
