#include "driver/validate/incomplete_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {
namespace {

constexpr std::size_t kLongestLine = 1000;  // a line may be the whole file

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// The length of what begins here with `open`, ends with `close` and holds these characters.
bool holds_name(std::string_view rest, std::string_view open, std::string_view others, char close) {
  if (!rest.starts_with(open)) return false;
  rest.remove_prefix(open.size());
  if (rest.empty() || !is_letter(rest.front())) return false;
  const auto end = std::ranges::find_if_not(rest, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || others.find(c) != others.npos;
  });
  return end != rest.end() && *end == close;
}

bool is_placeholder(std::string_view rest) {
  if (rest.starts_with("{{")) return rest.find("}}") != rest.npos;
  for (std::string_view word : {"FILLED BY", "PLACEHOLDER", "YOUR_"}) {
    if (rest.starts_with(word)) return true;
  }
  if (rest.size() > 1 && rest[0] == '$' && is_letter(rest[1])) return true;
  return holds_name(rest, "${", "-.:", '}') || holds_name(rest, "$(", "-.", ')') ||
         holds_name(rest, "<", "-. ", '>');
}

/// Faults of the text: what is wrong behind one says nothing.
bool is_of_text(DiagnosticKind kind) {
  return kind == DiagnosticKind::YamlSyntax || kind == DiagnosticKind::YamlTab ||
         kind == DiagnosticKind::NonStringKey;
}

/// What was found in a file.
struct Findings {
  std::set<std::uint32_t> places;  // to fill in
  bool breaks_text = false;        // no YAML before they are
};

class PlacesToFill {
 public:
  PlacesToFill(const SourceMap& sources, const std::vector<Diagnostic>& all) : sources_(sources) {
    for (const Diagnostic& each : all) {
      if (!each.span.known() || each.severity != Severity::Error) continue;
      if (is_of_text(each.kind) && is_helm(each.span.file)) {
        files_[each.span.file].breaks_text = true;
        files_[each.span.file].places.insert(each.span.begin);
      } else if (is_at_placeholder(each)) {
        files_[each.span.file].places.insert(each.span.begin);
      }
    }
  }

  const std::map<FileId, Findings>& files() const { return files_; }

  /// Whether a finding is said by that of its file.
  bool folds(const Diagnostic& each) const {
    if (!each.span.known()) return false;
    const auto found = files_.find(each.span.file);
    if (found == files_.end()) return false;
    return found->second.breaks_text || is_at_placeholder(each);
  }

 private:
  bool is_at_placeholder(const Diagnostic& each) const {
    std::string_view text = sources_.text(each.span).substr(0, kLongestLine);
    return has_placeholder(text.substr(0, text.find('\n')));
  }

  bool is_helm(FileId file) const {
    const std::string_view text = sources_.text(file);
    const std::size_t begin = text.find("{{");
    return begin != text.npos && text.find("}}", begin) != text.npos;
  }

  const SourceMap& sources_;
  std::map<FileId, Findings> files_;
};

Diagnostic finding(FileId file, const Findings& found, bool walked) {
  const std::size_t count = found.places.size();
  const std::uint32_t first = *found.places.begin();
  Diagnostic made(
      walked ? DiagnosticKind::LeftToDo : DiagnosticKind::YamlSyntax, {file, first, first},
      "a template: " + std::to_string(count) + (count == 1 ? " place has" : " places have") +
          " to be filled in first; render it, and validate what comes of it");
  return made;
}

/// Documents of a file that hold one of these places.
std::size_t documents_with(const std::set<std::uint32_t>& places, std::string_view text) {
  std::set<std::size_t> ends;
  for (const std::uint32_t place : places) ends.insert(text.find("\n---", place));
  return ends.size();
}

}  // namespace

bool has_placeholder(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_placeholder(text.substr(at))) return true;
  }
  return false;
}

std::size_t settle_incomplete_files(const FilesOfRun& files, const SourceMap& sources, Sink& sink) {
  if (!sink.has_errors() || sink.all().size() == Sink::kMost) return 0;
  const std::vector<Diagnostic> all = sink.all();
  const PlacesToFill places(sources, all);
  if (places.files().empty() && files.kustomized.empty()) return 0;
  sink.clear();
  for (const Diagnostic& each : all) {
    const bool may_come = each.kind == DiagnosticKind::MissingField && each.span.known() &&
                          files.kustomized.contains(each.span.file);
    if (!may_come && !places.folds(each)) sink.report(each);
  }
  std::size_t documents = 0;
  for (const auto& [file, found] : places.files()) {
    sink.report(finding(file, found, files.walked.contains(file)));
    documents += documents_with(found.places, sources.text(file));
  }
  return documents;
}

}  // namespace trainyard
