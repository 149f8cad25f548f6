#include "driver/diagnose/read_dump.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/session/inputs.h"
#include "manifest/metadata.h"
#include "manifest/program_jobs.h"
#include "plan/plan.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

View metadata_of(View object) {
  return get(object, "metadata");
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

/// The names that a call asks for: its word, or those of the jobs in a file.
std::vector<std::string> wanted_names(Session& session, const std::string& word) {
  const bool is_file = word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  if (!is_file) return {word};
  std::vector<std::string> names;
  for (const Document& each : read_inputs({word}, session.env, session.sources, session.sink,
                                          session.limits, Ambiguity::Kubernetes)) {
    const std::string name(string_at(metadata_of(each.root()), "name"));
    if (name.empty()) continue;
    if (each.kind == "TrainingJob") names.push_back(name);
    const JobKind* kind = session.job_kinds().find(each.root());
    if (kind != nullptr && kind->is_job()) names.push_back(std::string(each.kind) + "/" + name);
  }
  if (names.empty() && !session.sink.has_errors()) {
    session.sink.report(DiagnosticKind::UnknownReference, {},
                        shown(word) + " has no TrainingJob and no other job with a name");
  }
  return names;
}

/// The command that prints what a dump should have.
constexpr std::string_view kHowToDump =
    "`kubectl get jobs,pods,events,nodes,persistentvolumeclaims,workloads -o yaml` prints what to "
    "look at, with the kind of the job in front";

void report_none(Session& session, const ClusterDump& dump) {
  const std::set<std::string> kinds = dump.kinds();
  Diagnostic& report = session.sink.report(DiagnosticKind::UnknownReference, {},
                                           "the dump has no job whose status is known");
  if (kinds.empty()) {
    report.note("it has no objects at all");
  } else {
    report.note("it has objects of " +
                listed(std::vector<std::string>(kinds.begin(), kinds.end()), "and"));
  }
  report.note(std::string(kHowToDump));
}

void report_unknown(Session& session, const DumpRequest& request, const std::vector<View>& jobs) {
  std::set<std::string> labels;
  std::set<std::string> names;
  std::set<std::string> homes;  // namespaces that have a job of the name
  for (View job : jobs) {
    const std::string_view name = string_at(metadata_of(job), "name");
    const std::string_view name_space = string_at(metadata_of(job), "namespace");
    labels.insert((name_space.empty() ? "" : std::string(name_space) + "/") + label_of_job(job));
    names.emplace(request.name.find('/') == std::string::npos ? name : label_of_job(job));
    if (is_called(job, request.name)) homes.emplace(name_space);
  }
  std::string message = "the dump has no job";
  if (!request.name.empty()) message += " " + shown(request.name);
  if (!request.name_space.empty()) message += " in namespace " + shown(request.name_space);
  Diagnostic& report = session.sink.report(DiagnosticKind::UnknownReference, {}, message);
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (!homes.empty()) {
    report.note("namespace " + listed(std::vector<std::string>(homes.begin(), homes.end()), "and") +
                " has one");
  } else if (const auto near = suggest(request.name, views)) {
    report.note("did you mean " + shown(*near) + "?");
  }
  report.note("it has " + listed(std::vector<std::string>(labels.begin(), labels.end()), "and"));
}

}  // namespace

std::string label_of_job(View job) {
  return std::string(string_at(job, "kind")) + "/" +
         std::string(string_at(metadata_of(job), "name"));
}

bool is_called(View job, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    if (string_at(job, "kind") != name.substr(0, slash)) return false;
    name.remove_prefix(slash + 1);
  }
  const auto program = program_of(job);
  return string_at(metadata_of(job), "name") == name || label(job, kJobLabel).text() == name ||
         (program && program->job == name);
}

ReadDump read_dump(Session& session, const DumpRequest& request) {
  ReadDump read;
  read.dump = ClusterDump(session.job_kinds());
  read.documents = read_inputs(request.from, session.env, session.sources, session.sink,
                               session.limits, Ambiguity::Kubernetes);
  read_logs(session, request.logs, read.logs);
  const std::vector<std::string> names =
      request.name.empty() ? std::vector<std::string>() : wanted_names(session, request.name);
  if (session.sink.has_errors()) return read;
  for (const Document& each : read.documents) read.dump.add(each.root());
  const std::vector<View> all = read.dump.jobs();
  for (View job : all) {
    const std::string_view name_space = string_at(metadata_of(job), "namespace");
    const bool is_near = request.name_space.empty() || name_space == request.name_space;
    const bool is_named =
        std::ranges::any_of(names, [job](const std::string& each) { return is_called(job, each); });
    if (is_near && (names.empty() || is_named)) read.jobs.push_back(job);
  }
  std::ranges::sort(read.jobs, {}, [](View job) {
    return std::tuple(string_at(metadata_of(job), "namespace"), string_at(metadata_of(job), "name"),
                      string_at(job, "kind"), string_at(job, "apiVersion"));
  });
  if (all.empty()) {
    report_none(session, read.dump);
  } else if (read.jobs.empty()) {
    read.lacks_job = true;
    report_unknown(session, request, all);
  }
  for (const std::string& each : read.dump.repeated_jobs()) {
    Diagnostic twice(DiagnosticKind::NameCollision, {},
                     shown(each) + " is in the dump twice: the last one counts");
    twice.severity = Severity::Warning;
    session.sink.report(std::move(twice));
  }
  return read;
}

}  // namespace trainyard
