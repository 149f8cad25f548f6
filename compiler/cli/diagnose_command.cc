#include "cli/commands.h"
#include "cli/job_reports.h"

namespace trainyard {
namespace {

class DiagnoseCommand : public Command {
 public:
  std::string_view name() const override { return "diagnose"; }
  std::string_view summary() const override {
    return "Say why a job fails or waits, and what to do";
  }
  std::string_view description() const override {
    return "Reads what `kubectl get -o yaml` printed of a job and what is around it: its pods, "
           "their events, nodes and claims, the Workload of its queue. Says how far the job is, "
           "and what keeps it or ended it, the cause first: of many pods that failed, the one that "
           "failed by itself.\n\n"
           "`--logs` takes what `kubectl logs --prefix --timestamps` printed. With `--spec`, a "
           "finding names the line of the spec that it is about. Files below `diagnosis/` of "
           "`--templates` add findings of your own. Values that look like credentials are "
           "masked.\n\n"
           "Ends with 6 if the job that is asked for is not there.\n\n"
           "Without `--from`, trainyard-cluster asks the cluster of the current context; "
           "`trainyard-cluster diagnose --help` has its options.";
  }
  std::vector<Example> examples() const override {
    return {{"kubectl get jobs,pods,events,nodes -n ml -o yaml | trainyard diagnose --from -",
             "All jobs of a namespace."},
            {"trainyard diagnose --from dump.yaml --logs logs.txt llama",
             "One job, with the logs of its pods."},
            {"trainyard diagnose --from dump.yaml --spec spec.yaml llama",
             "The same, with the lines of its spec."}};
  }

  Arguments arguments() override {
    return {{.name = "JOB",
             .help = "The job: NAME, KIND/NAME, or a file with its spec; all when it is left out",
             .kind = ValueKind::File,
             .operand = true,
             .into = &request_.dump.name},
            {.name = "from",
             .value = "FILE",
             .help = "What `kubectl get -o yaml` printed; - for standard input; may be given more "
                     "than once",
             .kind = ValueKind::File,
             .into = &request_.dump.from},
            {.name = "namespace",
             .letter = 'n',
             .value = "NAME",
             .help = "Jobs of this namespace alone",
             .into = &request_.dump.name_space},
            {.name = "logs",
             .value = "FILE",
             .help = "What `kubectl logs --prefix` printed; may be given more than once",
             .kind = ValueKind::File,
             .into = &request_.dump.logs},
            {.name = "spec",
             .value = "FILE",
             .help = "The spec of the job, or an output that was built with `--provenance`: "
                     "findings name its lines",
             .kind = ValueKind::File,
             .into = &request_.spec},
            cluster_argument(request_.cluster),
            target_argument(request_.target),
            templates_argument(options_.templates),
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    if (request_.dump.from.empty()) return wrong_call(io, "`diagnose` needs `--from FILE`");
    Session session(io.env);
    prepare(session, options_);
    const DiagnosedDump dump = diagnose_dump(session, request_);
    return report_diagnosis(io, session, dump, !request_.dump.name.empty());
  }

 private:
  DiagnoseRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace trainyard
