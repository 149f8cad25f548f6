#include "schema/subject.h"

namespace trainyard {

bool Findings::is_sound_since(std::size_t size) const {
  for (std::size_t i = size; i < violations.size(); ++i) {
    const Violation& each = violations[i];
    if (each.severity == Severity::Error && each.kind != DiagnosticKind::CelRule) return false;
  }
  return true;
}

Violation* Subject::fail(DiagnosticKind what, const Frame& at) const {
  findings.failed = true;
  if (findings.wanted == Findings::Wanted::Verdict) return nullptr;
  Violation& violation = findings.violations.emplace_back();
  violation.kind = what;
  violation.node = at.node;
  violation.path = path_of(tree, at);
  violation.firm = firm;
  return &violation;
}

Violation* Subject::warn(DiagnosticKind what, const Frame& at) const {
  if (findings.wanted == Findings::Wanted::Verdict) return nullptr;
  Violation* violation = fail(what, at);
  violation->severity = Severity::Warning;
  return violation;
}

}  // namespace trainyard
