#include "driver/fleet/render_fleet.h"

#include <utility>

#include "cli/built_files.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/fleet_commands.h"
#include "driver/fleet/git_attributes.h"

namespace trainyard {
namespace {

class RenderCommand : public Command {
 public:
  std::string_view name() const override { return "render"; }
  std::string_view summary() const override { return "Write the manifests of a fleet"; }
  std::string_view description() const override {
    return "Compiles the specs of a Fleet, which lists clusters and teams, into one tree of "
           "manifests for Argo CD or Flux. Each cluster has a folder in the tree: `platform/` has "
           "what the Cluster asks for, `claims/TEAM/` the claims that outlive their jobs, and "
           "`jobs/TEAM/` one file for each job. There is no kustomization.yaml.\n\n"
           "Each file records the fleet, its spec and a digest of its text. A run replaces or "
           "removes files of its own fleet that nothing has edited. It keeps all others and names "
           "them. To remove more than half of the files of a folder needs `--yes`. All files are "
           "written, or none when any input is wrong.\n\n"
           "`--only` renders one cluster, or one team of it, and looks at no other file of the "
           "tree.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard render", "Render `fleet.yaml` of this folder."},
            {"trainyard render --check --output github",
             "In CI: fail with 3 when the tree is not that of the fleet, with findings at the "
             "lines of the specs."},
            {"trainyard render --only gke/nlp", "Render the jobs of one team in one cluster."},
            {"trainyard render --init", "Tell Git and its forges that the tree is generated."}};
  }

  Arguments arguments() override {
    Arguments rows = {
        fleet_argument(request_.fleet),
        {.name = "only",
         .value = "CLUSTER[/TEAM]",
         .help = "Render this cluster, or the jobs of this team there",
         .into = &request_.only},
        {.name = "check",
         .help = "Write nothing; exit with 3 and a diff when the tree is out of date",
         .into = &request_.check},
        {.name = "init",
         .help = "Write nothing but a line about the tree into `.gitattributes`: forges fold "
                 "the generated files in, and Git merges them with `trainyard merge-driver`. "
                 "Print the command that tells a clone of the repository so",
         .into = &init_},
        {.name = "prune",
         .help = "Remove and replace all that trainyard wrote into the tree, also for other "
                 "fleets and if it was edited",
         .into = &request_.prune},
        {.name = "yes",
         .help = "Remove files even if they are more than half of those in a folder",
         .into = &request_.yes},
        quiet_argument(),
        lock_argument(options_.lock),
        no_lock_argument(options_.no_lock),
        locked_argument(options_.locked),
    };
    add_reading_arguments(rows, options_, jobs_);
    return rows;
  }

  ExitCode run(Io& io) override {
    if (const std::string wrong = wrong_locks(options_); !wrong.empty()) {
      return wrong_call(io, wrong);
    }
    const bool renders = request_.check || request_.prune || request_.yes || !request_.only.empty();
    if (init_ && renders) {
      return wrong_call(io, "`--init` goes with none of `--check`, `--only`, `--prune`, `--yes`");
    }
    const auto workers = thread_count(jobs_);
    if (!workers) return wrong_thread_count(io, jobs_);
    request_.workers = *workers;
    request_.findings = request_.check && io.reports();
    request_.fleet = fleet_file(io.env, request_.fleet);
    Session session(io.env);
    prepare_fleet(session, options_, request_.fleet, request_.target);
    BuildResult result;
    if (init_ && !session.sink.has_errors()) return init(io, session);
    if (!session.sink.has_errors()) result = render_fleet(session, request_);
    const FileNaming naming{"the tree of " + request_.fleet, quiet};
    return finish_files(io, session, std::move(result), naming);
  }

 private:
  ExitCode init(Io& io, Session& session) {
    const GitAttributes result = add_git_attributes(session, request_.fleet);
    const ExitCode code = finish(io, session);
    if (code != ExitCode::Good) return code;
    tell_done(io, result.written ? "wrote" : "kept", result.path);
    io.err += "run once in each clone: " + std::string(kMergeDriverCommand) + "\n";
    return code;
  }

  RenderRequest request_;
  bool init_ = false;
  std::string jobs_ = "0";
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> render_command() {
  return std::make_unique<RenderCommand>();
}

}  // namespace trainyard
