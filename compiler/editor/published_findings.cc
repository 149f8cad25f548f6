#include "editor/published_findings.h"

#include <algorithm>
#include <utility>

namespace trainyard {

void PublishedFindings::wait(const std::string& uri, bool first) {
  std::erase(waiting_, uri);
  waiting_.insert(first ? waiting_.begin() : waiting_.end(), uri);
}

void PublishedFindings::changed(const OpenDocument& document) {
  wait(document.uri, true);
  changed_on_disk(document.path);
}

void PublishedFindings::changed_on_disk(const std::string& path) {
  for (const auto& [uri, found] : findings_) {
    const bool is_own = workspace_.documents.at_path(path) == workspace_.documents.find(uri);
    const bool reads = std::ranges::any_of(
        found.files, [&](const std::string& file) { return normal_path(file) == path; });
    if (reads && !is_own) wait(uri, false);
  }
}

void PublishedFindings::all_changed() {
  for (const auto& [uri, document] : workspace_.documents.all()) wait(uri, false);
}

void PublishedFindings::closed(const OpenDocument& document) {
  std::erase(waiting_, document.uri);
  findings_.erase(document.uri);
  changed_on_disk(document.path);
}

const DocumentFindings& PublishedFindings::of(const OpenDocument& document) {
  const auto found = findings_.find(document.uri);
  const bool waits = std::ranges::find(waiting_, document.uri) != waiting_.end();
  if (found != findings_.end() && !waits) return found->second;
  // It stays among those that wait, for the client has to know.
  return findings_[document.uri] = find_mistakes(workspace_, document);
}

std::optional<Json> PublishedFindings::next() {
  while (!waiting_.empty()) {
    const std::string uri = waiting_.front();
    waiting_.erase(waiting_.begin());
    const OpenDocument* const document = workspace_.documents.find(uri);
    if (document == nullptr) continue;
    DocumentFindings& found = findings_[uri] = find_mistakes(workspace_, *document);
    Json diagnostics = Json::array();
    for (const EditorFinding& each : found.findings) diagnostics.push_back(each.diagnostic);
    return Json{
        {"uri", uri}, {"version", document->version}, {"diagnostics", std::move(diagnostics)}};
  }
  return std::nullopt;
}

}  // namespace trainyard
