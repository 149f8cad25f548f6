#include "cli/commands.h"
#include "cli/job_reports.h"

namespace trainyard {
namespace {

class DiagnoseCommand : public Command {
 public:
  std::string_view name() const override { return "diagnose"; }
  std::string_view summary() const override {
    return "Show why a job fails or waits, and what to do";
  }
  std::string_view description() const override {
    return "Reads the output of `kubectl get -o yaml` for a job and the objects around it: "
           "pods, events, nodes, claims, the Workload of its queue. Says how far the job "
           "is, and what stopped or delays it, the cause first. If many pods failed, that "
           "is the one that failed by itself.\n\n`--logs` takes the output of `kubectl "
           "logs --prefix --timestamps`. With `--spec`, a finding names its line of the "
           "spec. Files below `diagnosis/` of `--templates` add your own findings. Values "
           "that look like credentials are masked.\n\nEnds with 6 if the job that you "
           "name does not exist.\n\nWithout `--from`, trainyard-cluster asks the cluster "
           "of the current context; `trainyard-cluster diagnose --help` has its options.";
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
    return {
        {.name = "JOB",
         .help = "The job: NAME, KIND/NAME, or a file with its spec; default is all",
         .kind = ValueKind::File,
         .operand = true,
         .into = &request_.dump.name},
        {.name = "from",
         .value = "FILE",
         .help = "Output of `kubectl get -o yaml`; - for standard input; may be given more than "
                 "once",
         .kind = ValueKind::File,
         .into = &request_.dump.from},
        {.name = "namespace",
         .letter = 'n',
         .value = "NAME",
         .help = "Only jobs of this namespace",
         .into = &request_.dump.name_space},
        {.name = "logs",
         .value = "FILE",
         .help = "Output of `kubectl logs --prefix`; may be given more than once",
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
