#include "cli/discovery_report.h"

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/discover/compare_document.h"

namespace trainyard {
namespace {

ExitCode report_drift(Io& io, Session& session, const Survey& survey,
                      const DiscoveryOptions& options) {
  const auto document = read_cluster(session, options.update);
  if (document == nullptr || session.sink.has_errors()) return finish(io, session);
  const DocumentDrift drift = compare_document(session, *document, survey);
  finish(io, session);
  if (!drift.left_out.empty()) {
    io.err += "note: " + foreign_text(options.update) + " does not list " +
              listed(drift.left_out, "and") + ", but the cluster has some\n";
  }
  if (drift.differs) return ExitCode::OutOfDate;
  if (!io.reports()) io.out += "The cluster matches " + foreign_text(options.update) + ".\n";
  return ExitCode::Good;
}

}  // namespace

Arguments discovery_arguments(DiscoveryOptions& options) {
  return {{.name = "out",
           .letter = 'o',
           .value = "FILE",
           .help = "Write to this file, which must not exist; else to standard output",
           .kind = ValueKind::File,
           .into = &options.out},
          {.name = "name",
           .value = "NAME",
           .help = "`metadata.name` of the Cluster; else by labels of the nodes, or the context",
           .into = &options.name},
          {.name = "update",
           .value = "CLUSTER",
           .help = "Compare this Cluster document with the cluster instead, and end with 3 if they "
                   "differ",
           .kind = ValueKind::File,
           .into = &options.update},
          templates_argument(options.session.templates)};
}

bool can_report(Io& io, const DiscoveryOptions& options, ExitCode& code) {
  if (!options.out.empty() && !options.update.empty()) {
    code = wrong_call(io, "`--update` writes no file, so that `-o` has no use");
    return false;
  }
  if (options.out.empty() || !io.env.files.exists(options.out)) return true;
  Session session(io.env);
  session.sink
      .report(DiagnosticKind::OutputConflict, {},
              shown(options.out) + " already exists, and is unchanged")
      .note("`--update " + options.out + "` says what has changed since");
  code = finish(io, session);
  return false;
}

ExitCode report_discovery(Io& io, Session& session, const Survey& survey,
                          const DiscoveredFrom& from, const DiscoveryOptions& options) {
  for (const std::string& note : survey.notes) io.err += "note: " + foreign_text(note) + "\n";
  if (!options.update.empty()) return report_drift(io, session, survey, options);
  const std::string document = discovered_document(survey, known_machines(session), from);
  if (options.out.empty()) {
    io.out += document;
  } else if (const auto problem = io.env.files.write(options.out, document)) {
    session.sink.report(DiagnosticKind::OutputFailed, {},
                        shown(options.out) + " cannot be written: " + problem->message);
  } else {
    tell_done(io, "wrote", options.out);
  }
  return finish(io, session);
}

}  // namespace trainyard
