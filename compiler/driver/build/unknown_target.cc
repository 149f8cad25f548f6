#include "driver/build/unknown_target.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/suggest.h"
#include "driver/session/other_words.h"

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
  const std::string_view other = other_word("target", name, {});
  const std::string_view place = other_place("target", name);
  const auto near = planned          ? std::nullopt
                    : !other.empty() ? std::optional<std::string_view>(other)
                    : !place.empty() ? std::nullopt
                                     : suggest(name, names);
  if (!place.empty()) report.note("did you mean `" + std::string(place) + "`?");
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
