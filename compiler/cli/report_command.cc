#include "cli/command.h"
#include "cli/commands.h"
#include "diag/summary.h"
#include "diag/words.h"
#include "driver/report/make_report.h"

namespace trainyard {
namespace {

class ReportCommand : public Command {
 public:
  ReportCommand() { output = "html"; }

  std::string_view name() const override { return "report"; }
  std::string_view summary() const override { return "Write a page about jobs and their findings"; }
  std::string_view description() const override {
    return "Writes one HTML page about specs, manifests of others, or a Fleet: a table of the "
           "jobs, "
           "all findings, and what the jobs would take of pools and queues. For each job it has "
           "the picture, and the manifests beside the spec: a line leads to the rules, templates "
           "and lines of the spec that made it.\n\nThe page needs no other file and no network. "
           "It shows no secret that Trainyard recognises. Without `--output-file` it goes to "
           "standard output.\n\nThe page is also written when inputs have errors, and then the "
           "exit code is 1. It replaces an earlier page, and no other file.\n\nWith `--output "
           "json` the output is the data of "
           "the page. Its form may change between releases.";
  }
  std::vector<Example> examples() const override {
    return {
        {"trainyard report jobs/ -c cluster.yaml -o report.html",
         "The jobs of a folder, as a build for the Cluster makes them."},
        {"trainyard report fleet.yaml -o report.html", "All clusters and teams of a Fleet."},
        {"trainyard report deploy/ -o report.html", "Manifests of others, as `validate` does."}};
  }

  Arguments arguments() override {
    return {inputs_argument(request_.inputs, "Files, directories, or - for standard input"),
            cluster_argument(request_.cluster),
            target_argument(request_.target),
            {.name = "output-file",
             .letter = 'o',
             .value = "FILE",
             .help = "Write the page to this file instead of standard output",
             .kind = ValueKind::File,
             .into = &request_.output_file},
            {.name = "force",
             .help = "Replace a file that is not a page of this command",
             .into = &request_.force},
            overlay_argument(options_.overlays),
            templates_argument(options_.templates),
            schemas_argument(options_.schemas),
            policy_argument(options_.policies),
            strict_argument(options_.strict),
            fail_on_argument(options_.fail_on),
            checks_argument(options_.checks),
            config_argument(options_.config),
            no_config_argument(options_.no_config),
            load_outside_argument(),
            jobs_argument(jobs_),
            output_argument({"html", "json"})};
  }

  ExitCode run(Io& io) override {
    const auto workers = thread_count(jobs_);
    if (!workers) return wrong_thread_count(io, jobs_);
    request_.workers = *workers;
    request_.data_alone = output == "json";
    Session session(io.env);
    prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
    ReportResult result;
    if (!session.sink.has_errors()) result = make_report(session, request_);
    const bool is_written = !result.written.empty();
    const bool is_printed = request_.output_file.empty() && !result.page.empty();
    if (!is_written && !is_printed) return finish(io, session);
    if (is_printed) io.out += result.page;
    if (is_written) tell_done(io, "wrote", result.written);
    const std::string findings = ::trainyard::summary(session.sink.sorted());
    io.err += counted(static_cast<std::uint32_t>(result.jobs), "job") +
              (findings.empty() ? ", no findings" : ", " + findings) + "\n";
    return session.sink.has_errors() ? ExitCode::InputWrong : ExitCode::Good;
  }

 private:
  ReportRequest request_;
  std::string jobs_ = "0";
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace trainyard
