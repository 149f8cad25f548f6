#include "cli/command.h"
#include "cli/commands.h"
#include "diag/words.h"
#include "driver/convert/convert_files.h"

namespace trainyard {
namespace {

class ConvertCommand : public Command {
 public:
  std::string_view name() const override { return "convert"; }
  std::string_view summary() const override { return "Turn manifests of jobs into specs"; }
  std::string_view description() const override {
    return "Reads jobs of any known kind and writes the TrainingJob that makes each of "
           "them, one document for each job. Services, ConfigMaps, claims and training "
           "runtimes among the inputs go into the jobs that use them. The spec leaves out "
           "what a controller adds and what a build works out. For everything else that a "
           "spec cannot express, a warning says where it is and what to do. `--strict` "
           "makes it an error.\n\nThen it builds each spec for the kind it came from, and compares "
           "the pods of both. It reports each difference that changes the job: its place, the "
           "cause, and how to keep the value.\n\nWith `--output json` the output is one JSON "
           "document "
           "with the diagnostics. After a success it also has `specs` (the YAML) or, with "
           "`--output-file`, `written`.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard convert old.yaml > job.yaml", "Make a spec of a job that you have."},
            {"trainyard convert old.yaml | trainyard build - --target trainjob",
             "Go from version 1 of Kubeflow to version 2."},
            {"kubectl get pytorchjob train -o yaml | trainyard convert -",
             "Make a spec of a job in the cluster."}};
  }

  Arguments arguments() override {
    return {
        inputs_argument(request_.inputs, "Manifests, directories, or - for standard input"),
        cluster_argument(request_.cluster),
        {.name = "output-file",
         .letter = 'o',
         .value = "FILE",
         .help = "Write the specs to this file instead of standard output",
         .kind = ValueKind::File,
         .into = &request_.output_file},
        {.name = "force", .help = "Replace a file that has other content", .into = &request_.force},
        {.name = "no-proof",
         .help = "Do not compare what a build of each spec makes with its manifest",
         .into = &no_proof_},
        strict_argument(options_.strict),
        quiet_argument(),
        load_outside_argument(),
        report_argument()};
  }

  ExitCode run(Io& io) override {
    const bool report_has_specs = !io.reports() || io.format == OutputFormat::Json;
    if (request_.output_file.empty() && !report_has_specs) {
      return wrong_call(
          io, "`--output " + output + "` needs `--output-file`: the report takes standard output");
    }
    Session session(io.env);
    prepare(session, options_);
    request_.proof = !no_proof_;
    const ConvertResult result = convert_files(session, request_);
    const ExitCode code = finish(io, session, members(session, io, result));
    summarize(io, session, counted(static_cast<std::uint32_t>(result.jobs), "job") + " converted");
    if (code != ExitCode::Good) return code;
    if (!io.reports()) io.out += result.stream;
    if (!quiet && !result.written.empty()) tell_done(io, "wrote", result.written);
    return ExitCode::Good;
  }

 private:
  std::string members(const Session& session, const Io& io, const ConvertResult& result) const {
    if (io.format != OutputFormat::Json || session.sink.has_errors()) return {};
    return request_.output_file.empty() ? json_member("specs", result.stream)
                                        : json_member("written", result.written);
  }

  ConvertRequest request_;
  bool no_proof_ = false;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> convert_command() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace trainyard
