#include "driver/fleet/git_attributes.h"

#include <algorithm>
#include <string_view>

#include "diag/words.h"
#include "driver/fleet/fleet_plan.h"

namespace trainyard {
namespace {

constexpr std::string_view kFile = ".gitattributes";
constexpr std::string_view kAttributes = " linguist-generated=true merge=trainyard\n";

/// The pattern of the tree, in quotes where git wants them.
std::string pattern_of(const std::string& folder) {
  const std::string pattern = folder + "/**";
  return pattern.find_first_of(" \t\"\\") == std::string::npos ? pattern : quoted(pattern);
}

bool says_of(std::string_view text, std::string_view pattern) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(pattern)) continue;
    line.remove_prefix(pattern.size());
    if (line.empty() || line.starts_with(' ') || line.starts_with('\t')) return true;
  }
  return false;
}

}  // namespace

GitAttributes add_git_attributes(Session& session, const std::string& fleet) {
  GitAttributes result;
  const auto plan = read_fleet(session, fleet);
  if (plan == nullptr) return result;
  result.path = plan->folder + std::string(kFile);
  const Text& rendered = plan->fleet.spec->rendered;
  const std::string folder = plan->rendered.starts_with(plan->folder)
                                 ? plan->rendered.substr(plan->folder.size())
                                 : std::string();
  if (folder.empty() || folder.starts_with('/') || folder.starts_with("../")) {
    session.sink.report(DiagnosticKind::OutsideRoot, rendered.span,
                        shown(plan->rendered) + " is not below the folder of the fleet, and " +
                            code(result.path) + " holds for that folder alone");
    return result;
  }
  if (!may_read(session, plan->path, result.path, {})) return result;
  FileRead before = session.env.files.read(result.path, session.limits.bytes);
  if (before.error && before.error->reason != FileError::Reason::NotFound) {
    report_unreadable(result.path, *before.error, {}, session.sink);
    return result;
  }
  const std::string pattern = pattern_of(folder);
  if (says_of(before.text, pattern)) return result;
  std::string text = std::move(before.text);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text.append(pattern).append(kAttributes);
  if (const auto error = session.env.files.write(result.path, text)) {
    session.sink.report(DiagnosticKind::OutputFailed, {},
                        code(result.path) + ": " + error->message);
    return result;
  }
  result.written = true;
  return result;
}

}  // namespace trainyard
