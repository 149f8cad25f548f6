#include <algorithm>
#include <string>
#include <vector>

#include "rules/program_start.h"
#include "rules/rerun.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "source/characters.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

bool is_lower_alnum(char c) {
  return is_lower(c) || is_digit(c);
}

/// Lower-case letters, digits and single dashes, with a letter first and no dash last.
std::string sanitised(std::string_view original) {
  std::string result;
  for (char c : original) {
    const char lower = to_lower(c);
    if (is_lower_alnum(lower)) {
      result += lower;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  if (result.empty() || result.front() < 'a') result.insert(0, result.empty() ? "job" : "j");
  return result;
}

std::string cut(std::string name, std::size_t size) {
  name.resize(std::min(name.size(), size));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// Where the name of one job of a sweep goes on with its parameters; the size for other jobs.
std::size_t start_of_parameters(const RuleContext& context, const std::string& name) {
  const Text* sweep = find(*context.in.job->metadata->labels, "trainyard/matrix");
  if (sweep == nullptr) return name.size();
  const std::string own = sanitised(**sweep);
  return name.starts_with(own + "-") ? own.size() : name.size();
}

/// Cut to the budget, made unique again by a hash of what the user wrote. The parameters of a sweep
/// stay, for they tell its jobs apart, where there is room for some of its name in front of them.
std::string shortened(const std::string& name, std::size_t budget, std::string_view original,
                      std::size_t parameters) {
  constexpr std::size_t kHashDigits = 8;
  constexpr std::size_t kLeast = 8;
  const std::string hash = "-" + sha256_hex(original).substr(0, kHashDigits);
  const std::size_t room = budget - hash.size();
  const std::string ending = name.substr(parameters);
  if (ending.empty() || ending.size() + kLeast > room) return cut(name, room) + hash;
  return cut(name.substr(0, parameters), room - ending.size()) + ending + hash;
}

void run(RuleContext& context) {
  const Text& name = context.in.job->metadata->name;
  std::vector<RoleCount> roles;
  const bool several = are_programs(context);
  for (const Role& role : context.plan.roles) {
    roles.push_back(several ? RoleCount{role.name, *role.part_pods, *role.parts}
                            : RoleCount{role.name, *role.replicas});
  }
  const RerunChoice rerun = rerun_of(context);
  const std::string run =
      rerun.how == Rerun::NewName ? "-" + std::string(kUnnamedRun) : std::string();
  const auto longest = static_cast<std::size_t>(context.in.target->longest_name(roles, several));
  const std::size_t budget = longest - run.size();
  std::string result = sanitised(*name);
  if (result.size() > budget) {
    result = shortened(result, budget, *name, start_of_parameters(context, result));
  }

  const OriginId origin =
      context.because({context.from(name), context.plan.roles.back().replicas.origin});
  context.set(context.plan.job, context.text(result), origin);
  const OriginId of_run = run.empty() ? origin : context.because({origin, rerun.origin});
  context.set(context.plan.name, context.text(result, run), of_run);
  if (result == *name) return;
  Diagnostic& report =
      context.report(DiagnosticKind::NameChanged, name.span,
                     code(*name) + " becomes " + code(result) + " in every object");
  report.note(
      "names must start with a letter, hold only lower-case letters, digits and `-`, and fit " +
      std::to_string(budget) + " characters here, for the longest name made from them");
  // A name with parameters of a matrix is not what stands there, in quotes or without.
  const bool stands_there =
      name.span.size() == name->size() || name.span.size() == name->size() + 2;
  if (stands_there) report.fix(name.span, result, "write the name as it will be");
}

}  // namespace

extern const Rule job_name_rule{
    "job-name",
    Rule::Phase::Infer,
    "The job's name is valid for every object, host name and label made from it, and is never "
    "changed silently. Where a change is a new run, it leaves room for the digits of the run.",
    "A Service is an RFC 1035 label and starts with a letter although a Job need not; pods of an "
    "Indexed Job are called `<job>-<index>` (kubernetes/kubernetes "
    "pkg/apis/batch/validation/validation.go).",
    "spec.metadata.name spec.metadata.labels spec.rerun spec.roles cluster.gitops.tool "
    "role.replicas role.parts role.partPods "
    "target.names target.programs target.entrypoint target.cannot",
    "plan.job plan.name",
    run};

}  // namespace trainyard
