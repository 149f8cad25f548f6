#include "cli/command.h"
#include "cli/commands.h"
#include "diag/foreign_text.h"
#include "driver/diagnose/diagnose_dump.h"
#include "tree/typed_fields.h"

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
           "`--logs` takes what `kubectl logs --prefix --timestamps` printed. Values that look "
           "like credentials are masked.";
  }
  std::vector<Example> examples() const override {
    return {{"kubectl get jobs,pods,events,nodes -n ml -o yaml | trainyard diagnose --from -",
             "All jobs of a namespace."},
            {"trainyard diagnose --from dump.yaml --logs logs.txt llama",
             "One job, with the logs of its pods."}};
  }

  Arguments arguments() override {
    return {{.name = "JOB",
             .help = "The job, or Kind/name; all when it is left out",
             .operand = true,
             .into = &request_.name},
            {.name = "from",
             .value = "FILE",
             .help = "What `kubectl get -o yaml` printed; - for standard input; may be given more "
                     "than once",
             .kind = ValueKind::File,
             .into = &request_.from},
            {.name = "logs",
             .value = "FILE",
             .help = "What `kubectl logs --prefix` printed; may be given more than once",
             .kind = ValueKind::File,
             .into = &request_.logs},
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    if (request_.from.empty()) return wrong_call(io, "`diagnose` needs `--from FILE`");
    Session session(io.env);
    const ReadDump read = diagnose_dump(session, request_);
    std::string jobs;
    for (const Diagnosis& each : read.jobs) {
      jobs += (jobs.empty() ? "" : ", ") + ("{" + members(each) + "}");
    }
    const ExitCode code = finish(io, session, "\"jobs\": [" + jobs + "]");
    if (io.reports()) return code;
    for (const Diagnosis& each : read.jobs) io.out += foreign_lines(text_of(each));
    return code;
  }

 private:
  static std::string members(const Diagnosis& diagnosis) {
    std::string findings;
    for (const Finding& each : diagnosis.findings) {
      findings += (findings.empty() ? "" : ", ") + ("{" + finding_members(each) + "}");
    }
    const View metadata = get(diagnosis.job, "metadata");
    return json_member("kind", string_at(diagnosis.job, "kind")) + ", " +
           json_member("namespace", string_at(metadata, "namespace")) + ", " +
           json_member("name", string_at(metadata, "name")) + ", " +
           json_member("phase", name_of(diagnosis.state.phase)) + ", " +
           json_member("decidedBy", diagnosis.state.decided_by) + ", " +
           json_member("notes", diagnosis.state.notes) + ", " +
           json_member("pods", diagnosis.pods) + ", \"findings\": [" + findings + "]";
  }

  static std::string finding_members(const Finding& finding) {
    std::string pods;
    for (const FindingSubject& each : finding.subjects) {
      pods += (pods.empty() ? "{" : ", {") + json_member("name", each.pod) + ", " +
              json_member("container", each.container) +
              ", \"rank\": " + (each.rank ? std::to_string(*each.rank) : "null") + ", " +
              json_member("time", each.time) + "}";
    }
    const FindingRule& rule = *finding.rule;
    std::vector<std::string> tries(rule.tries.begin(), rule.tries.end());
    return json_member("id", rule.id) + ", " + json_member("class", rule.cause) + ", " +
           json_member("certainty", name_of(rule.certainty)) + ", " +
           json_member("role", name_of(finding.role)) + ", " + json_member("retry", rule.retry) +
           ", " + json_member("message", finding.text) + ", " + json_member("about", rule.about) +
           ", " + json_member("suggestions", tries) + ", \"pods\": [" + pods + "]";
  }

  DumpRequest request_;
};

}  // namespace

std::unique_ptr<Command> diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace trainyard
