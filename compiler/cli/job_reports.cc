#include "cli/job_reports.h"

#include "diagnosis/job_status.h"
#include "driver/status/status_json.h"
#include "driver/status/status_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

const Finding* first(const Diagnosis& diagnosis) {
  return diagnosis.findings.empty() ? nullptr : &diagnosis.findings.front();
}

/// One line for each job.
std::string lines_of(const DiagnosedDump& dump, const std::vector<JobStatus>& jobs,
                     const StatusReport& report) {
  StatusContext context;
  context.now = report.newest;
  for (const Diagnosis& each : dump.jobs) {
    const bool is_told = each.state.phase != JobPhase::Running && first(each) != nullptr;
    context.findings.emplace_back(is_told ? first(each)->rule->id : std::string_view());
  }
  return table_of(jobs, context, !report.one_namespace);
}

/// All of each job.
std::string texts_of(const DiagnosedDump& dump, const std::vector<JobStatus>& jobs,
                     const StatusReport& report) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    StatusContext context;
    context.now = report.newest;
    const Finding* finding = first(dump.jobs[i]);
    if (finding != nullptr) {
      context.findings.push_back(finding->text + " [" + std::string(finding->rule->id) + "]");
    }
    context.call = "`" + report.diagnose + " " + label_of_job(jobs[i].job) + "`";
    text += (i == 0 ? "" : "\n") + text_of(jobs[i], context);
  }
  return text;
}

std::string spec_member(const std::optional<SpecPlace>& place) {
  if (!place) return "\"spec\": null";
  return "\"spec\": {" + json_member("field", place->field) + ", " +
         json_member("file", place->file) + ", " + json_member("line", std::size_t{place->line}) +
         ", " + json_member("column", std::size_t{place->column}) + "}";
}

std::string finding_members(const Finding& finding, const std::optional<SpecPlace>& place) {
  std::string pods;
  for (const FindingSubject& each : finding.subjects) {
    pods += (pods.empty() ? "{" : ", {") + json_member("name", each.pod) + ", " +
            json_member("container", each.container) +
            ", \"rank\": " + (each.rank ? std::to_string(*each.rank) : "null") + ", " +
            json_member("time", each.time) + "}";
  }
  const FindingRule& rule = *finding.rule;
  const std::vector<std::string> tries(rule.tries.begin(), rule.tries.end());
  return json_member("id", rule.id) + ", " + json_member("class", rule.cause) + ", " +
         json_member("certainty", name_of(rule.certainty)) + ", " +
         json_member("role", name_of(finding.role)) + ", " + json_member("retry", rule.retry) +
         ", " + json_member("message", finding.text) + ", " + json_member("about", rule.about) +
         ", " + spec_member(place) + ", " + json_member("suggestions", tries) + ", \"pods\": [" +
         pods + "]";
}

std::string members(const DiagnosedDump& dump, const Diagnosis& diagnosis) {
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
         json_member("notes", diagnosis.state.notes) + ", " + json_member("pods", diagnosis.pods) +
         ", \"findings\": [" + findings + "]";
}

}  // namespace

ExitCode report_status(Io& io, Session& session, const DiagnosedDump& dump,
                       const StatusReport& report) {
  std::vector<JobStatus> jobs;
  std::string list;
  if (!session.sink.has_errors()) {
    for (const Diagnosis& each : dump.jobs) {
      jobs.push_back(job_status(dump.read.dump, each.job, *each.kind));
      if (io.reports()) list += (list.empty() ? "" : ", ") + json_of(jobs.back(), first(each));
    }
  }
  const ExitCode code =
      finish(io, session, json_member("now", report.newest) + ", \"jobs\": [" + list + "]");
  if (dump.read.lacks_job && report.one_job) return kNoSuchJob;
  if (code != ExitCode::Good) return code;
  if (!io.reports()) {
    io.out += report.one_job ? texts_of(dump, jobs, report) : lines_of(dump, jobs, report);
    if (report.is_newest_of_dump && !report.newest.empty()) {
      io.err += "ages count from " + report.newest + ", the newest time in the dump\n";
    }
  }
  const bool is_one = report.one_job && jobs.size() == 1;
  return is_one && jobs.front().state.phase == JobPhase::Failed ? kJobFailed : code;
}

ExitCode report_diagnosis(Io& io, Session& session, const DiagnosedDump& dump, bool one_job) {
  std::string jobs;
  for (const Diagnosis& each : dump.jobs) {
    jobs += (jobs.empty() ? "" : ", ") + ("{" + members(dump, each) + "}");
  }
  const ExitCode code = finish(io, session, "\"jobs\": [" + jobs + "]");
  if (dump.read.lacks_job && one_job) return kNoSuchJob;
  if (io.reports()) return code;
  for (const Diagnosis& each : dump.jobs) io.out += text_of(dump, each);
  return code;
}

}  // namespace trainyard
