#include <map>
#include <nlohmann/json.hpp>

#include "diag/place.h"
#include "diag/redaction.h"
#include "diag/report.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

using nlohmann::json;

/// GitLab has `info`, `minor`, `major`, `critical` and `blocker`.
std::string_view level(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "major";
    case Severity::Warning:
      return "minor";
    case Severity::Note:
      break;
  }
  return "info";
}

/// GitLab wants paths from the top of the repository, without `./` in front.
std::string_view without_dot(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

/// Fingerprints tell the findings of one report apart, and let GitLab know one again in another
/// report. So they depend on no line, which any edit above it changes.
class Fingerprints {
 public:
  std::string next(std::string_view rule, std::string_view path, std::string_view text) {
    Sha256 hash;
    hash.update_field(rule).update_field(path).update_field(text);
    const std::string alike = hash.finish_hex();
    const std::size_t before = seen_[alike]++;
    if (before == 0) return alike;
    return Sha256().update_field(alike).update_number(before).finish_hex();
  }

 private:
  std::map<std::string, std::size_t> seen_;
};

}  // namespace

std::string render_gitlab(std::span<const Diagnostic> diagnostics, const SourceMap& sources) {
  const Redaction redaction(diagnostics, sources);
  Fingerprints fingerprints;
  json report = json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string path = ".";  // GitLab wants a place
    std::uint32_t line = 1;
    if (diagnostic.span.known()) {
      const Place place = place_of(diagnostic.span, sources);
      path = without_dot(place.file);
      line = place.start.line;
    }
    report.push_back({{"description", full_text(diagnostic, redaction)},
                      {"check_name", diagnostic.rule()},
                      {"fingerprint", fingerprints.next(diagnostic.rule(), path,
                                                        redaction.words(diagnostic.message))},
                      {"severity", level(diagnostic.severity)},
                      {"location", {{"path", path}, {"lines", {{"begin", line}}}}}});
  }
  return report.dump(2, ' ', true, json::error_handler_t::replace) + '\n';
}

}  // namespace trainyard
