#include "cli/built_files.h"

#include <utility>

namespace trainyard {
namespace {

/// What the JSON document has besides the diagnostics of a success.
std::string members(const Session& session, const BuildResult& result) {
  if (session.sink.has_errors()) return {};
  return json_member("written", result.written) + ",\n  " + json_member("removed", result.removed) +
         ",\n  " + json_member("kept", result.kept) + ",\n  " +
         json_member("difference", result.difference);
}

}  // namespace

ExitCode finish_files(Io& io, Session& session, BuildResult result) {
  const std::string extra =
      io.format == OutputFormat::Json ? members(session, result) : std::string();
  const bool is_good = !session.sink.has_errors();
  for (Diagnostic& finding : result.findings) session.sink.report(std::move(finding));
  const ExitCode code = finish(io, session, extra);
  if (!is_good) return code;
  if (!io.reports()) io.out = std::move(result.difference);
  for (const std::string& path : result.written) tell_done(io, "wrote", path);
  for (const std::string& path : result.removed) tell_done(io, "removed", path);
  for (const std::string& line : result.told) io.err += line + "\n";
  return result.out_of_date ? ExitCode::OutOfDate : ExitCode::Good;
}

}  // namespace trainyard
