#include "driver/build/build.h"

#include <utility>

#include "cli/built_files.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "diag/words.h"

namespace trainyard {
namespace {

class BuildCommand : public Command {
 public:
  std::string_view name() const override { return "build"; }
  std::string_view summary() const override { return "Compile specs to Kubernetes YAML"; }
  std::string_view description() const override {
    return "Compiles every TrainingJob of the inputs and writes the objects. Without "
           "options it prints one stream. With `--output-dir` it writes one file per job "
           "and a kustomization.yaml. The file is `NAME.yaml`, or `NAMESPACE.NAME.yaml` if "
           "jobs of several namespaces have one name. If any spec is wrong, it writes "
           "nothing. It does not touch files that would not change.\n\nEach file records "
           "its spec and a digest of its text. A build replaces or removes a file only if "
           "its spec is, or was, among the inputs, and no user edited it. It keeps all "
           "other files, and names them. To remove more than half of the files needs "
           "`--yes`. `--prune` removes and replaces every file that trainyard wrote.\n\n"
           "A Cluster among the inputs is compiled, too: namespaces, priority classes, "
           "queues and their quotas. These objects come first in the stream, and in the "
           "file `NAME.cluster.yaml`. A Cluster in a directory, or of `--cluster`, is only "
           "read.\n\nA spec may extend others. With a `matrix`, each combination is a "
           "job. `--overlay` puts a layer over every spec. Images get their digests from "
           "`trainyard.lock`.\n\nWith `--output json` the output is one JSON document "
           "with the diagnostics. After a success it also has `manifests` (the YAML "
           "stream); with `--output-dir` it has `written`, `removed` and `kept` (paths) "
           "and `difference` (the result of `--check`). The formats of build servers "
           "(`sarif`, `junit`, `github`, `gitlab`) need `--output-dir`.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard build job.yaml | kubectl apply --server-side -f -",
             "Compile one spec and apply it."},
            {"trainyard build specs/ -c cluster.yaml -o deploy/",
             "Compile a folder of specs for a cluster, into files for a GitOps repository."},
            {"trainyard build specs/ -c cluster.yaml -o deploy/ --check",
             "In CI: fail with 3 and a diff when the files are not those of the specs."},
            {"trainyard build specs/ --overlay team.yaml --locked -o deploy/",
             "The same jobs with what a team adds to all of them, and no image that can change."},
            {"trainyard build cluster.yaml | kubectl apply --server-side -f -",
             "Make what the jobs of a cluster rely on."}};
  }

  Arguments arguments() override {
    Arguments rows = {
        inputs_argument(request_.inputs, "Spec files, directories, or - for standard input"),
        cluster_argument(request_.cluster),
        target_argument(request_.target),
        {.name = "output-dir",
         .letter = 'o',
         .value = "DIR",
         .help = "Write files below this directory instead of a stream",
         .kind = ValueKind::Directory,
         .into = &request_.output_directory},
        {.name = "check",
         .help = "Write nothing; exit with 3 and a diff when the directory is out of date",
         .into = &request_.check},
        {.name = "prune",
         .help = "Remove and replace everything that trainyard wrote into the directory, also "
                 "from other specs and after edits",
         .into = &request_.prune},
        {.name = "yes",
         .help = "Remove files even if they are more than half of those in the directory",
         .into = &request_.yes},
        quiet_argument(),
        {.name = "no-kustomization",
         .help = "Write no kustomization.yaml, and remove the one of an earlier build: Argo CD "
                 "and Flux take plain directories",
         .into = &no_kustomization_},
        {.name = "provenance",
         .help = "Write a map of causes beside each file, for `why`",
         .into = &request_.provenance},
        overlay_argument(options_.overlays),
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
    const bool for_directory = request_.check || request_.provenance || request_.prune ||
                               request_.yes || no_kustomization_;
    if (request_.output_directory.empty() && for_directory) {
      return wrong_call(io,
                        "`--check`, `--no-kustomization`, `--provenance`, `--prune` and `--yes` "
                        "need `--output-dir`");
    }
    const bool report_has_manifests = !io.reports() || io.format == OutputFormat::Json;
    if (request_.output_directory.empty() && !report_has_manifests) {
      return wrong_call(
          io, "`--output " + output + "` needs `--output-dir`: the report takes standard output");
    }
    const auto workers = thread_count(jobs_);
    if (!workers) return wrong_thread_count(io, jobs_);
    request_.workers = *workers;
    request_.kustomization = !no_kustomization_;
    request_.findings = request_.check && io.reports();
    Session session(io.env);
    prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
    BuildResult result;
    if (!session.sink.has_errors()) result = build(session, request_);
    if (!request_.output_directory.empty()) {
      return finish_files(io, session, std::move(result), {request_.output_directory, quiet});
    }
    const bool wants_json = io.format == OutputFormat::Json && !session.sink.has_errors();
    const ExitCode code = finish(
        io, session, wants_json ? json_member("manifests", result.stream.whole()) : std::string());
    if (code == ExitCode::Good && !io.reports()) io.rest = std::move(result.stream);
    summarize(io, session,
              counted(static_cast<std::uint32_t>(result.specs), "spec") +
                  (code == ExitCode::Good ? " compiled" : " read"));
    return code;
  }

 private:
  BuildRequest request_;
  bool no_kustomization_ = false;
  std::string jobs_ = "0";
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> build_command() {
  return std::make_unique<BuildCommand>();
}

}  // namespace trainyard
