#include "cli/command.h"
#include "cli/commands.h"
#include "cli/fit_report.h"
#include "diag/foreign_text.h"
#include "driver/doctor/doctor.h"

namespace trainyard {
namespace {

class DoctorCommand : public Command {
 public:
  std::string_view name() const override { return "doctor"; }
  std::string_view summary() const override {
    return "Show whether and where jobs fit a cluster, before they wait in it";
  }
  std::string_view description() const override {
    return "Compiles each job and places all its pods at once on the pools of the Cluster, "
           "node by node. It applies selectors, taints, all known amounts, one pod per "
           "node, one domain of a topology level, and the limits of the queue. Each job is "
           "placed on its own. If a job does not fit, each pool says why.\n\nWith "
           "`--offline` it reads only the Cluster document. What other jobs use is then "
           "unknown; `--assume-used` states it. It ignores amounts that neither the "
           "Cluster nor the machine catalogue states. Without `--offline` the package "
           "trainyard-cluster, if it is installed, asks the API server, and says where the "
           "cluster differs from its document.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard doctor --offline job.yaml --cluster cluster.yaml",
             "Where the job fits in an empty cluster."},
            {"trainyard doctor --offline job.yaml -c c.yaml --assume-used a3-mega=12 "
             "--assume-used nlp/nvidia.com/gpu=64",
             "The same with 12 nodes of a pool and 64 GPUs of a queue taken."}};
  }

  Arguments arguments() override {
    return {inputs_argument(request_.inputs, "Files, directories, or - for standard input"),
            {.name = "offline",
             .help = "Ask the Cluster document, not an API server",
             .into = &offline_},
            cluster_argument(request_.cluster),
            target_argument(request_.target),
            {.name = "assume-used",
             .value = "WHAT=AMOUNT",
             .help = "What is taken: POOL=NODES, or QUEUE/RESOURCE=AMOUNT",
             .into = &request_.assume_used},
            overlay_argument(options_.overlays),
            templates_argument(options_.templates),
            schemas_argument(options_.schemas),
            strict_argument(options_.strict),
            config_argument(options_.config),
            no_config_argument(options_.no_config),
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
    if (!session.sink.has_errors() && request_.cluster.empty()) {
      return wrong_call(io,
                        "without an API server `doctor` needs `--cluster FILE`, which says what is "
                        "there");
    }
    DoctorResult result;
    if (!session.sink.has_errors()) result = doctor(session, request_);
    if (!result.wrong_words.empty()) return wrong_call(io, result.wrong_words.front());
    const ExitCode code = finish(io, session, fits_json(result.jobs));
    if (!io.reports()) io.out += foreign_lines(fits_text(result.jobs));
    if (!offline_) {
      io.err +=
          "note: this asks the Cluster document alone; the package trainyard-cluster asks the API "
          "server that a kubeconfig names\n";
    }
    return code;
  }

 private:
  DoctorRequest request_;
  SessionOptions options_;
  bool offline_ = false;
};

}  // namespace

std::unique_ptr<Command> doctor_command() {
  return std::make_unique<DoctorCommand>();
}

}  // namespace trainyard
