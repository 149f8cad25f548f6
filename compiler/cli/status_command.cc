#include "cli/command.h"
#include "cli/commands.h"
#include "driver/diagnose/diagnose_dump.h"
#include "driver/status/status_json.h"
#include "driver/status/status_text.h"
#include "tree/typed_fields.h"

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
           "Ends with 5 if the job that is asked for has failed, and with 6 if it is not there.";
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
    const ClusterDump& objects = dump.read.dump;
    std::vector<JobStatus> jobs;
    std::string members;
    if (!session.sink.has_errors()) {
      for (const Diagnosis& each : dump.jobs) {
        jobs.push_back(job_status(objects, each.job, *each.kind));
        if (io.reports())
          members += (members.empty() ? "" : ", ") + json_of(jobs.back(), first(each));
      }
    }
    ExitCode code = finish(
        io, session, json_member("now", objects.newest_time()) + ", \"jobs\": [" + members + "]");
    if (dump.read.lacks_job && !request_.dump.name.empty()) return kNoSuchJob;
    if (code != ExitCode::Good) return code;
    if (!io.reports()) print(io, dump, jobs);
    const bool is_one = !request_.dump.name.empty() && jobs.size() == 1;
    return is_one && jobs.front().state.phase == JobPhase::Failed ? kJobFailed : code;
  }

 private:
  static const Finding* first(const Diagnosis& diagnosis) {
    return diagnosis.findings.empty() ? nullptr : &diagnosis.findings.front();
  }

  void print(Io& io, const DiagnosedDump& dump, const std::vector<JobStatus>& jobs) {
    StatusContext context;
    context.now = dump.read.dump.newest_time();
    if (request_.dump.name.empty()) {
      for (const Diagnosis& each : dump.jobs) {
        const bool is_told = each.state.phase != JobPhase::Running && first(each) != nullptr;
        context.findings.emplace_back(is_told ? first(each)->rule->id : std::string_view());
      }
      io.out += table_of(jobs, context, request_.dump.name_space.empty());
    } else {
      print_each(io, dump, jobs, context);
    }
    if (!context.now.empty()) {
      io.err += "ages count from " + std::string(context.now) + ", the newest time in the dump\n";
    }
  }

  void print_each(Io& io, const DiagnosedDump& dump, const std::vector<JobStatus>& jobs,
                  StatusContext context) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Finding* finding = first(dump.jobs[i]);
      context.findings.clear();
      if (finding != nullptr) {
        context.findings.push_back(finding->text + " [" + std::string(finding->rule->id) + "]");
      }
      context.call = "`trainyard diagnose --from " + request_.dump.from.front() + " " +
                     label_of_job(jobs[i].job) + "`";
      io.out += (i == 0 ? "" : "\n") + text_of(jobs[i], context);
    }
  }

  DiagnoseRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> status_command() {
  return std::make_unique<StatusCommand>();
}

}  // namespace trainyard
