#include "cli/commands.h"
#include "cli/run_git.h"
#include "driver/plan/plan_trees.h"
#include "driver/plan/sync_plan_text.h"

namespace trainyard {
namespace {

/// A sync does not do what the tree says, or loses data.
constexpr ExitCode kSyncFails{5};

class PlanTreesCommand : public Command {
 public:
  std::string_view name() const override { return "plan"; }
  std::string_view summary() const override {
    return "Show what syncing a tree of manifests changes, before it is merged";
  }
  std::string_view description() const override {
    return "Compares a tree of manifests with an earlier state of it, and says of each object what "
           "a sync does: `create`, `prune`, `unchanged`, `patch`, `patch without effect` (pods "
           "that "
           "run stay as they are), `restart` (a new run, or pods that are replaced), `recreate` "
           "(deleted and made again), `refused` (with what the tool does not sync for it), `data "
           "loss`, `runs again`. Opens no connection and writes nothing.\n\n"
           "The earlier state is a directory or file (`--old`), a revision of Git (`--git`; "
           "`A..B` compares two), or what `kubectl get -o yaml` printed (`--live`). With `--live` "
           "beside one of the others, the dump is what is there, and the other says what an "
           "earlier sync applied.\n\n"
           "Ends with 5 if a sync fails, loses data, or changes a job without effect on its "
           "pods.\n\n"
           "Without any of these options, trainyard-cluster asks the cluster of the current "
           "context; `trainyard-cluster plan --help` has its options.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard plan rendered/ --git origin/main --tool flux",
             "What a merge of this branch does."},
            {"trainyard plan rendered/ --git origin/main...HEAD --output markdown",
             "The same as a comment of a pull request, from commits alone."},
            {"kubectl get -A -o yaml jobs,pvc,cm,svc | trainyard plan rendered/ --live -",
             "What a sync does to what is on a cluster."}};
  }

  Arguments arguments() override {
    return {inputs_argument(request_.inputs, "The tree: directories and files of manifests"),
            {.name = "old",
             .value = "TREE",
             .help = "The tree as it was: a directory or file; may be given more than once",
             .kind = ValueKind::File,
             .into = &request_.old},
            {.name = "git",
             .value = "REV",
             .help = "What the same paths held at this revision, or at both ends of `A..B`",
             .into = &request_.git},
            live_argument(request_.live),
            tool_argument(request_.tool),
            namespace_argument(request_.name_space),
            {.name = "no-recreate",
             .help = "End with 5 also if an object is deleted and made again",
             .into = &no_recreate_},
            cluster_argument(request_.cluster),
            schemas_argument(options_.schemas),
            strict_argument(options_.strict),
            config_argument(options_.config),
            no_config_argument(options_.no_config),
            load_outside_argument(),
            output_argument({"text", "markdown", "json", "github", "gitlab"})};
  }

  ExitCode run(Io& io) override {
    if (request_.old.empty() && request_.git.empty() && request_.live.empty()) {
      return wrong_call(io, "`plan` needs `--old TREE`, `--git REV` or `--live DUMP`");
    }
    if (!request_.old.empty() && !request_.git.empty()) {
      return wrong_call(io, "`--old` and `--git` both say what the tree was: give one");
    }
    Session session(io.env);
    std::string target;
    prepare(session, options_, {request_.inputs, request_.cluster, target});
    if (session.sink.has_errors()) return finish(io, session);
    const PlannedTrees planned = plan_trees(session, request_, run_git);
    if (session.sink.has_errors()) return finish(io, session);
    print(io, session, planned.plan);
    return code_of(planned.plan);
  }

 private:
  void print(Io& io, Session& session, const SyncPlan& plan) const {
    if (io.format == OutputFormat::Json) {
      finish(io, session, sync_plan_json(plan));
      return;
    }
    if (io.reports()) report_sync_plan(plan, session.sink);
    finish(io, session);
    if (!io.reports()) {
      io.out += output == "markdown" ? sync_plan_markdown(plan) : sync_plan_text(plan);
    }
  }

  ExitCode code_of(const SyncPlan& plan) const {
    const bool fails = plan.has(Action::Refused) || plan.has(Action::NoEffect) ||
                       plan.has(Action::DataLoss) || (no_recreate_ && plan.has(Action::Replace));
    return fails ? kSyncFails : ExitCode::Good;
  }

  PlanTreesRequest request_;
  bool no_recreate_ = false;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> plan_trees_command() {
  return std::make_unique<PlanTreesCommand>();
}

}  // namespace trainyard
