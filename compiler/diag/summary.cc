#include "diag/summary.h"

#include <algorithm>

namespace trainyard {
namespace {

std::string counted(std::span<const Diagnostic> diagnostics, Severity severity) {
  const auto count = std::count_if(diagnostics.begin(), diagnostics.end(),
                                   [=](const Diagnostic& d) { return d.severity == severity; });
  if (count == 0) return {};
  return std::to_string(count) + ' ' + std::string(word(severity)) + (count == 1 ? "" : "s");
}

}  // namespace

std::string summary(std::span<const Diagnostic> diagnostics) {
  const std::string errors = counted(diagnostics, Severity::Error);
  const std::string warnings = counted(diagnostics, Severity::Warning);
  return errors + (errors.empty() || warnings.empty() ? "" : " and ") + warnings;
}

}  // namespace trainyard
