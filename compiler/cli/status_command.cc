#include "cli/commands.h"
#include "cli/job_reports.h"

namespace trainyard {
namespace {

class StatusCommand : public Command {
 public:
  std::string_view name() const override { return "status"; }
  std::string_view summary() const override {
    return "Show how far jobs are, and what they wait for";
  }
  std::string_view description() const override {
    return "Reads the output of `kubectl get -o yaml` for jobs and the objects around "
           "them: pods, events, nodes, the Workloads and PodGroups of queues. Prints one "
           "line for each job. For one job it prints the queue, the pods with their ranks, "
           "nodes and states, the last events, and the first finding of `diagnose`. A job "
           "runs when all its pods run.\n\nAges count from the newest time in the dump, "
           "never from the clock. JOB is NAME, KIND/NAME, or a file with a spec or a "
           "manifest. Values that look like credentials are masked.\n\nEnds with 5 if "
           "the job that you name has failed, and with 6 if it does not exist.\n\n"
           "Without `--from`, trainyard-cluster asks the cluster of the current context; "
           "`trainyard-cluster status --help` has its options.";
  }
  std::vector<Example> examples() const override {
    return {{"kubectl get jobs,pods,events -A -o yaml | trainyard status --from -",
             "All jobs, one line each."},
            {"trainyard status --from dump.yaml -n ml llama", "All of one job."},
            {"trainyard status --from dump.yaml spec.yaml --output json",
             "The job of a spec, for programs: `trainyard schema export JobStatus`."}};
  }

  Arguments arguments() override {
    DumpRequest& dump = request_.dump;
    return {{.name = "JOB",
             .help = "The job: NAME, KIND/NAME, or a file with its spec; default is all",
             .kind = ValueKind::File,
             .operand = true,
             .into = &dump.name},
            {.name = "from",
             .value = "FILE",
             .help = "What `kubectl get -o yaml` printed; - for standard input; may be given more "
                     "than once",
             .kind = ValueKind::File,
             .into = &dump.from},
            {.name = "namespace",
             .letter = 'n',
             .value = "NAME",
             .help = "Jobs of this namespace alone",
             .into = &dump.name_space},
            templates_argument(options_.templates),
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    if (request_.dump.from.empty()) return wrong_call(io, "`status` needs `--from FILE`");
    Session session(io.env);
    prepare(session, options_);
    const DiagnosedDump dump = diagnose_dump(session, request_);
    const StatusReport report{
        .newest = std::string(dump.read.dump.newest_time()),
        .is_newest_of_dump = true,
        .one_job = !request_.dump.name.empty(),
        .one_namespace = !request_.dump.name_space.empty(),
        .diagnose = "trainyard diagnose --from " + request_.dump.from.front()};
    return report_status(io, session, dump, report);
  }

 private:
  DiagnoseRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> status_command() {
  return std::make_unique<StatusCommand>();
}

}  // namespace trainyard
