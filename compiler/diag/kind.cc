#include "diag/kind.h"

namespace trainyard {
namespace {

constexpr KindInfo kKinds[] = {
#define TRAINYARD_DIAGNOSTIC(identifier, name, severity, sentence) \
  {DiagnosticKind::identifier, #identifier, name, Severity::severity, sentence},
#include "diag/kinds.def"
#undef TRAINYARD_DIAGNOSTIC
};

}  // namespace

const KindInfo& info(DiagnosticKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::span<const KindInfo> all_kinds() {
  return kKinds;
}

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

std::string explain(const KindInfo& kind) {
  return std::string(kind.name) + " (" + std::string(word(kind.severity)) + ")\n  " +
         std::string(kind.sentence) + '\n';
}

}  // namespace trainyard
