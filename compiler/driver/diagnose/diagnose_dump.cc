#include "driver/diagnose/diagnose_dump.h"

#include <set>

#include "diag/words.h"
#include "driver/session/inputs.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string label_of(View job) {
  return std::string(string_at(job, "kind")) + "/" +
         std::string(string_at(get(job, "metadata"), "name"));
}

void read_logs(Session& session, const std::vector<std::string>& paths,
               std::deque<std::string>& logs) {
  for (const std::string& path : paths) {
    FileRead read = session.env.files.read(path, session.limits.bytes, Accept::Stream);
    if (read.error) {
      session.sink.report(DiagnosticKind::FileUnreadable, {},
                          "`" + path + "`: " + read.error->message);
    } else {
      logs.push_back(std::move(read.text));
    }
  }
}

void report_no_job(Session& session, const DumpRequest& request, const ReadDump& read) {
  std::string message = "the dump has no job whose status is known";
  if (!request.name.empty()) message += ", by the name `" + request.name + "`";
  std::vector<std::string> known;
  for (View job : read.dump.jobs()) known.push_back(label_of(job));
  Diagnostic& report = session.sink.report(DiagnosticKind::UnknownReference, {}, message);
  if (!known.empty()) report.note("it has " + listed(known, "and"));
  report.note(
      "`kubectl get jobs,pods,events,nodes,persistentvolumeclaims -o yaml` prints what to look at, "
      "with the kind of the job in front");
}

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
  if (rule.retry == "pointless") text += "; started again unchanged, it ends the same way";
  if (rule.retry == "sensible") text += "; it may go well when it is started again";
  return text;
}

void line(std::string& text, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  std::string label = "     " + std::string(name);
  label.resize(15, ' ');
  text += label + value + "\n";
}

std::string first_time(const Finding& finding) {
  std::string first;
  for (const FindingSubject& each : finding.subjects) {
    if (!each.time.empty() && (first.empty() || each.time < first)) first = each.time;
  }
  return first;
}

}  // namespace

ReadDump diagnose_dump(Session& session, const DumpRequest& request) {
  ReadDump read;
  read.documents = read_inputs(request.from, session.env, session.sources, session.sink,
                               session.limits, Ambiguity::Kubernetes);
  read_logs(session, request.logs, read.logs);
  if (session.sink.has_errors()) return read;
  for (const Document& each : read.documents) read.dump.add(each.root());
  std::vector<LogLine> lines;
  for (const std::string& each : read.logs) {
    const std::vector<LogLine> own = read_log(each);
    lines.insert(lines.end(), own.begin(), own.end());
  }
  for (View job : read.dump.jobs()) {
    const std::string label = label_of(job);
    const bool is_wanted = request.name.empty() || request.name == label ||
                           request.name == string_at(get(job, "metadata"), "name");
    if (!is_wanted) continue;
    const JobKind& kind = *JobKinds::builtin().find(job);
    read.jobs.push_back(diagnose(read.dump, job, kind, lines, FindingRules::builtin()));
  }
  if (read.jobs.empty()) report_no_job(session, request, read);
  return read;
}

std::string line_of(const Diagnosis& diagnosis) {
  const std::string_view name_space = string_at(get(diagnosis.job, "metadata"), "namespace");
  std::string text = label_of(diagnosis.job);
  if (!name_space.empty()) text += "  " + std::string(name_space);
  text += "  " + std::string(name_of(diagnosis.state.phase));
  if (!diagnosis.state.since.empty()) text += " since " + diagnosis.state.since;
  return text;
}

std::string text_of(const Diagnosis& diagnosis) {
  std::string text = line_of(diagnosis) + "\n";
  if (!diagnosis.state.decided_by.empty()) {
    text += "  because " + diagnosis.state.decided_by + "\n";
  }
  for (const std::string& each : diagnosis.state.notes) text += "  note: " + each + "\n";
  std::size_t number = 0;
  for (const Finding& each : diagnosis.findings) {
    text += std::to_string(++number) + ". " + each.text + " (" +
            std::string(name_of(each.rule->certainty)) + ") [" + std::string(each.rule->id) + "]\n";
    line(text, "who", subjects_of(each));
    line(text, "when", first_time(each));
    if (each.role == FindingRole::Cascade) {
      line(text, "part", "it follows from another failure");
      continue;
    }
    if (each.role == FindingRole::Confirmation) line(text, "part", "it tells of the cause");
    line(text, "class", class_of(*each.rule));
    line(text, "field", field_of(each));
    for (std::string_view how : each.rule->tries) line(text, "try", std::string(how));
  }
  if (diagnosis.findings.empty()) text += "nothing in the dump says that something is wrong\n";
  return text;
}

}  // namespace trainyard
