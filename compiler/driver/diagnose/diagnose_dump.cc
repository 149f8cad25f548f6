#include "driver/diagnose/diagnose_dump.h"

#include <set>

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/session/inputs.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

/// `0-2,5`
std::string ranges(const std::set<std::int64_t>& ranks) {
  std::string text;
  for (auto at = ranks.begin(); at != ranks.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != ranks.end() && *at == last + 1) last = *at;
    text += (text.empty() ? "" : ",") + std::to_string(first) +
            (last == first ? "" : "-" + std::to_string(last));
  }
  return text;
}

/// Whom a finding is about: `rank 1 (train-1-x7k2p, container main)`.
std::string subjects_of(const Finding& finding) {
  std::set<std::int64_t> ranks;
  std::vector<std::string> pods;
  std::set<std::string> containers;
  for (const FindingSubject& each : finding.subjects) {
    if (each.pod.empty()) return {};
    if (each.rank) ranks.insert(*each.rank);
    if (pods.empty() || pods.back() != each.pod) pods.push_back(each.pod);
    if (!each.container.empty()) containers.insert(each.container);
  }
  std::string text;
  if (!ranks.empty()) text = (ranks.size() == 1 ? "rank " : "ranks ") + ranges(ranks) + ": ";
  text += listed(pods, "and");
  if (containers.size() == 1) text += ", container `" + *containers.begin() + "`";
  return text;
}

/// The field of the pod template that decides it.
std::string field_of(const Finding& finding) {
  const std::string_view about = finding.rule->about;
  if (about.empty()) return {};
  if (about.starts_with('/')) return std::string(about.substr(1));
  const std::string name(string_at(finding.container, "name"));
  return "spec.containers[" + name + "]." + std::string(about);
}

/// Who can do something about it, and whether to start it again.
std::string class_of(const FindingRule& rule) {
  if (rule.cause == "unknown") return {};
  std::string text(rule.cause);
  if (rule.retry == "pointless") text += "; a restart without changes fails again";
  if (rule.retry == "sensible") text += "; a restart may succeed";
  return text;
}

void line(std::string& text, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  std::string label = "     " + std::string(name);
  label.resize(15, ' ');
  text += label + foreign_text(value) + "\n";
}

std::string first_time(const Finding& finding) {
  std::string first;
  for (const FindingSubject& each : finding.subjects) {
    if (!each.time.empty() && (first.empty() || each.time < first)) first = each.time;
  }
  return first;
}

/// Reports what is wrong with findings of users.
void report_faults(Session& session, const FindingRules& rules) {
  for (const FindingFault& each : rules.faults()) {
    session.sink.report(DiagnosticKind::BadTargetPack, each.at ? each.at->span : Span(),
                        each.message);
  }
}

/// The findings of the program, with those of the user's templates in front.
const FindingRules& rules_of(Session& session, DiagnosedDump& dump) {
  for (const std::string& path : session.templates.list("diagnosis/")) {
    const auto file = session.templates.find(path);
    if (!file || !session.templates.text_of(file->name)) continue;  // one of the program
    const FileId id = session.sources.add(std::string(file->name), std::string(file->text));
    for (Tree& tree : read_yaml(session.sources, id, session.sink, session.limits)) {
      if (tree.size() != 0) dump.own_findings.push_back(std::move(tree));
    }
  }
  if (dump.own_findings.empty()) return FindingRules::builtin();
  dump.own_rules = std::make_unique<FindingRules>(dump.own_findings, FindingRules::builtin_files());
  report_faults(session, *dump.own_rules);
  return *dump.own_rules;
}

}  // namespace

DiagnosedDump diagnose_dump(Session& session, const DiagnoseRequest& request) {
  DiagnosedDump dump;
  dump.read = read_dump(session, request.dump);
  if (!session.sink.has_errors()) diagnose_jobs(session, request, dump);
  return dump;
}

void diagnose_jobs(Session& session, const DiagnoseRequest& request, DiagnosedDump& dump) {
  const FindingRules& rules = rules_of(session, dump);
  if (!request.spec.empty()) {
    const CausesRequest spec{request.spec, request.cluster, request.target};
    dump.lines = FindingLines(session, spec);
    if (!session.sink.has_errors()) dump.edits = SpecEdits(session, spec);
  }
  if (session.sink.has_errors()) return;
  Logs logs;
  for (const std::string& each : dump.read.logs) logs.add(each);
  for (View job : dump.read.jobs) {
    const JobKind& kind = *dump.read.dump.job_kinds().find(job);
    dump.jobs.push_back(diagnose(dump.read.dump, job, kind, logs, rules));
  }
}

std::optional<SpecPlace> spec_place_of(const DiagnosedDump& dump, const Diagnosis& diagnosis,
                                       const Finding& finding) {
  if (finding.rule->about.empty()) return std::nullopt;
  return dump.lines.find(diagnosis.status.job, string_at(finding.container, "name"),
                         finding.rule->about);
}

std::optional<SpecEdit> edit_of(const DiagnosedDump& dump, const Diagnosis& diagnosis,
                                const Finding& finding) {
  const Finding& first = diagnosis.findings.front();
  // More retries, say, help only where the cause may pass.
  const bool helps = finding.role == FindingRole::Root || &finding == &first ||
                     (finding.role == FindingRole::Confirmation && first.rule->retry == "sensible");
  if (!helps) return std::nullopt;
  return dump.edits.find(diagnosis.status.job, finding, spec_place_of(dump, diagnosis, finding));
}

std::string line_of(const Diagnosis& diagnosis) {
  const std::string_view name_space = string_at(get(diagnosis.status.job, "metadata"), "namespace");
  std::string text = label_of_job(diagnosis.status.job);
  if (!name_space.empty()) text += "  " + std::string(name_space);
  text += "  " + std::string(name_of(diagnosis.status.state.phase));
  if (!diagnosis.status.since.empty()) text += " since " + diagnosis.status.since;
  return text;
}

std::string text_of(const DiagnosedDump& dump, const Diagnosis& diagnosis) {
  std::string text = foreign_text(line_of(diagnosis)) + "\n";
  if (!diagnosis.status.state.decided_by.empty()) {
    text += "  because " + foreign_text(diagnosis.status.state.decided_by) + "\n";
  }
  for (const std::string& each : diagnosis.status.state.notes) {
    text += "  note: " + foreign_text(each) + "\n";
  }
  std::size_t number = 0;
  for (const Finding& each : diagnosis.findings) {
    text += std::to_string(++number) + ". " + foreign_text(each.text) + " (" +
            std::string(name_of(each.rule->certainty)) + ") [" + std::string(each.rule->id) + "]\n";
    line(text, "who", subjects_of(each));
    line(text, "when", first_time(each));
    if (each.role == FindingRole::Cascade) {
      line(text, "part", "a result of another failure");
      continue;
    }
    if (each.role == FindingRole::Confirmation) line(text, "part", "a sign of the cause");
    line(text, "class", class_of(*each.rule));
    line(text, "field", field_of(each));
    if (const auto place = spec_place_of(dump, diagnosis, each)) {
      line(text, "spec", text_of(*place));
    }
    if (const auto edit = edit_of(dump, diagnosis, each)) line(text, "edit", text_of(*edit));
    for (std::string_view how : each.rule->tries) line(text, "try", std::string(how));
  }
  if (diagnosis.findings.empty()) text += "nothing says that something is wrong\n";
  return text;
}

}  // namespace trainyard
