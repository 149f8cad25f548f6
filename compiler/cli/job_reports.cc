#include "cli/job_reports.h"

#include "diag/words.h"
#include "driver/status/status_json.h"
#include "driver/status/status_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

const Finding* first(const Diagnosis& diagnosis) {
  return diagnosis.findings.empty() ? nullptr : &diagnosis.findings.front();
}

/// All of each job.
std::string texts_of(const DiagnosedDump& dump, const StatusReport& report) {
  std::string text;
  for (const Diagnosis& each : dump.jobs) {
    StatusContext context;
    context.now = report.newest;
    if (const Finding* finding = first(each)) {
      context.finding = finding->text + " [" + std::string(finding->rule->id) + "]";
    }
    context.call = "`" + report.diagnose + " " + label_of_job(each.status.job) + "`";
    text += (text.empty() ? "" : "\n") + text_of(each.status, context);
  }
  return text;
}

std::string spec_member(const std::optional<SpecPlace>& place) {
  if (!place) return "\"spec\": null";
  return "\"spec\": {" + json_member("field", place->field) + ", " +
         json_member("file", place->file) + ", " + json_member("line", std::size_t{place->line}) +
         ", " + json_member("column", std::size_t{place->column}) + "}";
}

std::string edit_member(const std::optional<SpecEdit>& edit) {
  if (!edit) return "\"edit\": null";
  const auto position = [](std::uint32_t number) {
    return number == 0 ? std::string("null") : std::to_string(number);
  };
  return "\"edit\": {" + json_member("field", edit->field) + ", " +
         json_member("file", edit->file) + ", \"line\": " + position(edit->line) +
         ", \"column\": " + position(edit->column) +
         ", \"now\": " + (edit->line == 0 ? "null" : quoted(edit->now)) + ", " +
         json_member("proposed", edit->proposed) + "}";
}

std::string finding_members(const Finding& finding, const std::optional<SpecPlace>& place,
                            const std::optional<SpecEdit>& edit) {
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
         ", " + spec_member(place) + ", " + json_member("suggestions", tries) + ", " +
         edit_member(edit) + ", \"pods\": [" + pods + "]";
}

std::string members(const DiagnosedDump& dump, const Diagnosis& diagnosis) {
  std::string findings;
  for (const Finding& each : diagnosis.findings) {
    findings += (findings.empty() ? "" : ", ") +
                ("{" +
                 finding_members(each, spec_place_of(dump, diagnosis, each),
                                 edit_of(dump, diagnosis, each)) +
                 "}");
  }
  const View metadata = get(diagnosis.status.job, "metadata");
  return json_member("kind", string_at(diagnosis.status.job, "kind")) + ", " +
         json_member("namespace", string_at(metadata, "namespace")) + ", " +
         json_member("name", string_at(metadata, "name")) + ", " +
         json_member("phase", name_of(diagnosis.status.state.phase)) + ", " +
         json_member("decidedBy", diagnosis.status.state.decided_by) + ", " +
         json_member("notes", diagnosis.status.state.notes) + ", " +
         json_member("pods", diagnosis.status.pods.size()) + ", \"findings\": [" + findings + "]";
}

}  // namespace

ExitCode report_status(Io& io, Session& session, const DiagnosedDump& dump,
                       const StatusReport& report) {
  std::string list;
  if (!session.sink.has_errors() && io.reports()) {
    for (const Diagnosis& each : dump.jobs) {
      list += (list.empty() ? "" : ", ") + json_of(each.status, first(each));
    }
  }
  const ExitCode code =
      finish(io, session, json_member("now", report.newest) + ", \"jobs\": [" + list + "]");
  if (dump.read.lacks_job && report.one_job) return kNoSuchJob;
  if (code != ExitCode::Good) return code;
  if (!io.reports()) {
    io.out += report.one_job ? texts_of(dump, report)
                             : table_of(dump.jobs, report.newest, !report.one_namespace);
    if (report.is_newest_of_dump && !report.newest.empty()) {
      io.err += "ages count from " + report.newest + ", the newest time in the dump\n";
    }
  }
  const bool is_one = report.one_job && dump.jobs.size() == 1;
  const bool has_failed = is_one && dump.jobs.front().status.state.phase == JobPhase::Failed;
  return has_failed ? kJobFailed : code;
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
