#include "cli/built_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "diag/foreign_text.h"
#include "diag/words.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostNamed = 50;

/// What the JSON document has besides the diagnostics of a success.
std::string members(const Session& session, const BuildResult& result) {
  if (session.sink.has_errors()) return {};
  return json_member("written", result.written) + ",\n  " + json_member("removed", result.removed) +
         ",\n  " + json_member("kept", result.kept) + ",\n  " +
         json_member("difference", result.difference);
}

void tell_files(Io& io, std::string_view what, const std::vector<std::string>& paths,
                const FileNaming& naming) {
  const std::size_t named = naming.quiet ? 0 : std::min(paths.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) tell_done(io, what, paths[i]);
  if (named == paths.size()) return;
  const std::size_t rest = paths.size() - named;
  io.err += std::string(what) + ' ' + std::to_string(rest) + (named == 0 ? "" : " more") +
            (rest == 1 ? " file" : " files") + " in " + foreign_text(naming.directory) + '\n';
}

}  // namespace

ExitCode finish_files(Io& io, Session& session, BuildResult result, const FileNaming& naming) {
  const std::string extra =
      io.format == OutputFormat::Json ? members(session, result) : std::string();
  const bool is_good = !session.sink.has_errors();
  for (Diagnostic& finding : result.findings) session.sink.report(std::move(finding));
  const ExitCode code = finish(io, session, extra);
  const std::string specs = counted(static_cast<std::uint32_t>(result.specs), "spec");
  if (!is_good) {
    summarize(io, session, specs + " read, nothing written");
    return code;
  }
  if (!io.reports()) io.out = std::move(result.difference);
  tell_files(io, "wrote", result.written, naming);
  tell_files(io, "removed", result.removed, naming);
  for (const std::string& line : result.told) io.err += line + "\n";
  const auto written = static_cast<std::uint32_t>(result.written.size());
  summarize(io, session,
            specs + " compiled, " + counted(written, "file") + " written, " +
                std::to_string(result.removed.size()) + " removed");
  return result.out_of_date ? ExitCode::OutOfDate : ExitCode::Good;
}

}  // namespace trainyard
