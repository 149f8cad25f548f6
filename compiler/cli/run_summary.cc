#include <array>
#include <cmath>

#include "cli/command.h"
#include "diag/words.h"

namespace trainyard {
namespace {

/// `3 ms`, `12.5 s`
std::string duration(double seconds) {
  if (seconds < 0.9995) return number_text(std::round(1000 * seconds)) + " ms";
  return number_text(std::round(10 * seconds) / 10) + " s";
}

/// `2 refused, 5 risky`: errors and warnings by what comes of them, the worst first.
std::string by_effect(const Session& session) {
  std::array<std::size_t, kEffectWords.size()> counts{};
  for (const Diagnostic& each : session.sink.sorted()) {
    if (each.severity != Severity::Note) ++counts[static_cast<std::size_t>(each.effect())];
  }
  std::string text;
  for (std::size_t i = counts.size(); i-- > 0;) {
    if (counts[i] == 0) continue;
    text +=
        (text.empty() ? "" : ", ") + std::to_string(counts[i]) + " " + std::string(kEffectWords[i]);
  }
  return text;
}

}  // namespace

void summarize(Io& io, const Session& session, std::string_view done) {
  if (!io.seconds || io.reports()) return;
  const std::string findings = by_effect(session);
  io.summary = std::string(done) + " in " + duration(io.seconds()) +
               (findings.empty() ? "" : ": " + findings) + "\n";
}

}  // namespace trainyard
