#include "cli/command.h"
#include "cli/commands.h"
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
           "`--logs` takes what `kubectl logs --prefix --timestamps` printed. With `--spec`, a "
           "finding names the line of the spec that it is about. Files below `diagnosis/` of "
           "`--templates` add findings of your own. Values that look like credentials are "
           "masked.\n\n"
           "Ends with 6 if the job that is asked for is not there.";
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
    std::string jobs;
    for (const Diagnosis& each : dump.jobs) {
      jobs += (jobs.empty() ? "" : ", ") + ("{" + members(dump, each) + "}");
    }
    const ExitCode code = finish(io, session, "\"jobs\": [" + jobs + "]");
    if (dump.read.lacks_job && !request_.dump.name.empty()) return kNoSuchJob;
    if (io.reports()) return code;
    for (const Diagnosis& each : dump.jobs) io.out += text_of(dump, each);
    return code;
  }

 private:
  static std::string members(const DiagnosedDump& dump, const Diagnosis& diagnosis) {
    std::string findings;
    for (const Finding& each : diagnosis.findings) {
      findings += (findings.empty() ? "" : ", ") +
                  ("{" + finding_members(each, spec_place_of(dump, diagnosis, each)) + "}");
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

  static std::string spec_member(const std::optional<SpecPlace>& place) {
    if (!place) return "\"spec\": null";
    return "\"spec\": {" + json_member("field", place->field) + ", " +
           json_member("file", place->file) + ", " + json_member("line", std::size_t{place->line}) +
           ", " + json_member("column", std::size_t{place->column}) + "}";
  }

  static std::string finding_members(const Finding& finding,
                                     const std::optional<SpecPlace>& place) {
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
           ", " + spec_member(place) + ", " + json_member("suggestions", tries) + ", \"pods\": [" +
           pods + "]";
  }

  DiagnoseRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace trainyard
