#include "live/apply/plan_text.h"
#include "live/apply/planning_command.h"
#include "live/live_command.h"
#include "live/live_exit.h"

namespace trainyard {
namespace {

class PlanCommand : public PlanningCommand {
 public:
  using PlanningCommand::PlanningCommand;

  std::string_view name() const override { return "plan"; }
  std::string_view summary() const override {
    return "Show what applying specs or manifests would change on a cluster";
  }
  std::string_view description() const override {
    return "Compiles specs, or takes manifests as they are, and asks the API server what would "
           "change: every field with its line in the spec, what a running job does not follow, "
           "what must be replaced, which other manager owns a field. Writes nothing.\n\n"
           "With `--check` the exit code is 3 when anything would change.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard plan job.yaml", "One job, on the cluster of the current context."},
            {"trainyard plan specs/ -c cluster.yaml --check --context dgx",
             "In CI: exit with 3 when the cluster is not as the specs say."}};
  }

  Arguments arguments() override {
    Arguments rows;
    add_planning_arguments(rows);
    rows.push_back(
        {.name = "check", .help = "Exit with 3 when anything would change", .into = &check_});
    return rows;
  }

  ExitCode run(Io& io) override {
    const Planned planned = make(io, false, true);
    if (!planned.is_there()) return planned.code;
    const ClusterPlan& plan = planned.made.plan;
    if (io.reports()) {
      finish(io, *planned.session, "\"objects\": " + plan_json(plan));
    } else {
      finish(io, *planned.session);
      show(io, planned);
      io.out += " Nothing was written.\n";
    }
    if (plan.has(Action::Refused)) return plan.code_of_refusal();
    if (plan.has(Action::Conflict) || plan.has(Action::Foreign)) return kNotDone;
    return check_ && plan.changes_anything() ? ExitCode::OutOfDate : ExitCode::Good;
  }

 private:
  bool check_ = false;
};

}  // namespace

std::unique_ptr<Command> plan_command(LocalMachine& machine) {
  return std::make_unique<PlanCommand>(machine);
}

}  // namespace trainyard
