#include <CLI/CLI.hpp>
#include <utility>

#include "cli/command.h"
#include "cli/commands.h"
#include "driver/build.h"

namespace trainyard {
namespace {

class BuildCommand : public Command {
 public:
  std::string_view name() const override { return "build"; }
  std::string_view summary() const override { return "Compile specs to Kubernetes YAML"; }
  std::string_view description() const override {
    return "Compiles every TrainingJob of the inputs and writes the objects as one stream, or with "
           "`--output-dir` as one file per job together with a kustomization.yaml. Nothing is "
           "written when any spec is wrong; a file that would not change is left alone, and files "
           "of "
           "jobs that no longer exist are removed.";
  }

  void options(CLI::App& app) override {
    app.add_option("inputs", request_.inputs, "Spec files, directories, or - for standard input")
        ->required();
    app.add_option("-c,--cluster", request_.cluster, "The Cluster that the specs are for");
    app.add_option("-t,--target", request_.target,
                   "Compile for this target, whatever the specs say");
    app.add_option("-o,--output-dir", request_.output_directory,
                   "Write files below this directory in place of a stream");
    app.add_flag("--check", request_.check,
                 "Write nothing; exit with 3 and a diff when the directory is out of date");
    app.add_flag("--provenance", request_.provenance,
                 "Write beside each file why each of its lines is as it is");
    app.add_option("--templates", request_.templates,
                   "Directories with targets, machines and fabrics of your own");
  }

  ExitCode run(Io& io) override {
    if (request_.output_directory.empty() && (request_.check || request_.provenance)) {
      return wrong_call(io, "`--check` and `--provenance` need `--output-dir`");
    }
    Session session(io.env);
    BuildResult result = build(session, request_);
    const ExitCode code = finish(io, session);
    if (result.world_failed) return ExitCode::WorldFailed;
    if (code != ExitCode::Good) return code;
    if (!io.json) io.out = std::move(result.stream) + result.difference;
    for (const std::string& path : result.written) io.err += "wrote " + path + "\n";
    return result.out_of_date ? ExitCode::OutOfDate : ExitCode::Good;
  }

 private:
  BuildRequest request_;
};

}  // namespace

std::unique_ptr<Command> build_command() {
  return std::make_unique<BuildCommand>();
}

}  // namespace trainyard
