#include "driver/build/unknown_target.h"

#include <string>
#include <vector>

#include "diag/suggest.h"

namespace trainyard {

void report_unknown_target(Session& session, std::string_view name, Span span) {
  std::string available;
  std::vector<std::string_view> names;
  bool planned = false;
  for (const TargetFacts* facts : session.all_targets()) {
    names.push_back(facts->name);
    planned = planned || (facts->name == name && !facts->available);
    if (facts->available)
      available += (available.empty() ? "`" : ", `") + std::string(facts->name) + "`";
  }
  const bool is_known = session.templates.find(std::string(name) + "/target.yaml").has_value();
  if (is_known && !planned) return;  // what is wrong with it has been said
  const std::string shown = "`" + std::string(name) + "`";
  Diagnostic& report = session.sink.report(
      DiagnosticKind::UnknownTarget, span,
      planned ? "target " + shown + " is planned, but not available in this version"
              : "there is no target " + shown);
  const auto near = planned ? std::nullopt : suggest(name, names);
  if (near) {
    if (span.known()) {
      report.fix(span, std::string(*near), "did you mean `" + std::string(*near) + "`?");
    } else {
      report.note("did you mean `" + std::string(*near) + "`?");
    }
  }
  report.note("available: " + available);
}

}  // namespace trainyard
