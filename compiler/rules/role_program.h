#pragma once

#include <cstddef>
#include <vector>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {

/// One of several programs of a job. A rule sees it as a job of one role: what the role says stands
/// in place of what the job says, and the plan has the framework and the rendezvous of this program
/// alone while the rule runs. Of several groups a rule sees one, because their ranks never meet.
class RoleProgram {
 public:
  /// `spec` is the job as this role has it; its own role is the one of this number in the plan.
  RoleProgram(RuleContext& whole, std::size_t number, const RoleSpec& own, JobSpec spec);

  void run(const Rule& rule);
  const JobSpec& spec() const { return *job_.spec; }
  std::string_view framework() const { return *framework_; }

 private:
  void swap_fields();

  RuleContext& whole_;
  std::size_t number_;
  TrainingJob job_;
  RuleInput in_;
  // Of the plan, while the rule of another program or of the whole job runs.
  std::vector<Role> roles_;  // has room for the one role, whose content moves
  Field<std::string_view> framework_;
  Field<bool> multi_node_;
  Field<std::string_view> processes_;
  RendezvousPlan rendezvous_;
  RuleContext context_;
};

}  // namespace trainyard
