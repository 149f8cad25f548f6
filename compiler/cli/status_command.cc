#include "cli/commands.h"
#include "cli/job_reports.h"

namespace trainyard {
namespace {

class StatusCommand : public Command {
 public:
  std::string_view name() const override { return "status"; }
  std::string_view summary() const override {
    return "Say how far jobs are, and what they wait for";
  }
  std::string_view description() const override {
    return "Reads what `kubectl get -o yaml` printed of jobs and what is around them: pods, "
           "events, "
           "nodes, the Workloads and PodGroups of queues. Prints one line a job; of one job, its "
           "queue, its pods with their ranks, nodes and states, the last events, and what "
           "`diagnose` says first. A job runs when all its pods do.\n\n"
           "Ages count from the newest time in the dump, never from the clock. JOB is NAME, "
           "KIND/NAME, or a file with a spec or a manifest. Values that look like credentials are "
           "masked.\n\n"
           "Ends with 5 if the job that is asked for has failed, and with 6 if it is not there.\n\n"
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
             .help = "The job: NAME, KIND/NAME, or a file with its spec; all when it is left out",
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
