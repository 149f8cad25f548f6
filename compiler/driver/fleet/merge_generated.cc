#include "driver/fleet/merge_generated.h"

#include <optional>

#include "diag/words.h"
#include "driver/session/inputs.h"
#include "emit/ownership.h"

namespace trainyard {
namespace {

constexpr int kMostConflicts = 127;  // that `git merge-file` counts; errors are above

std::optional<std::string> text_of(Session& session, const std::string& path) {
  FileRead read = session.env.files.read(path, session.limits.bytes);
  if (!read.error) return with_plain_breaks(read.text);
  report_unreadable(path, *read.error, {}, session.sink);
  return std::nullopt;
}

bool is_rendered(const std::string& text) {
  const Owner owner = owner_of(text);
  return owner.intact && !owner.fleet.empty();
}

MergeResult write(Session& session, const std::string& path, std::string_view text,
                  MergeResult result) {
  const auto error = session.env.files.write(path, text);
  if (!error) return result;
  session.sink.report(DiagnosticKind::OutputFailed, {}, code(path) + ": " + error->message);
  return MergeResult::Failed;
}

MergeResult merge_text(Session& session, const MergeRequest& request, const RunGit& git) {
  const GitRun run = git({"merge-file", "-p", "-L", "ours", "-L", "base", "-L", "theirs",
                          request.ours, request.base, request.theirs},
                         "");
  if (run.code < 0 || run.code > kMostConflicts) {
    session.sink.report(DiagnosticKind::InputFailed, {},
                        "`git merge-file` of " + code(request.path) + ": " + run.err);
    return MergeResult::Failed;
  }
  return write(session, request.ours, run.out,
               run.code == 0 ? MergeResult::Merged : MergeResult::Conflicts);
}

}  // namespace

MergeResult merge_generated(Session& session, const MergeRequest& request, const RunGit& git) {
  std::optional<std::string> ours = text_of(session, request.ours);
  const std::optional<std::string> theirs = text_of(session, request.theirs);
  if (!ours || !theirs) return MergeResult::Failed;
  if (!is_rendered(*ours) || !is_rendered(*theirs)) return merge_text(session, request, git);
  mark_unmerged(*ours);
  return write(session, request.ours, *ours, MergeResult::Unmerged);
}

}  // namespace trainyard
