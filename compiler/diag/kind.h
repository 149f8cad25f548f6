#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trainyard {

enum class Severity : std::uint8_t { Note, Warning, Error };

/// The kinds of diagnostic, from `kinds.def`.
enum class DiagnosticKind : std::uint16_t {
#define TRAINYARD_DIAGNOSTIC(identifier, name, severity, sentence) identifier,
#include "diag/kinds.def"
#undef TRAINYARD_DIAGNOSTIC
};

struct KindInfo {
  DiagnosticKind kind;
  std::string_view identifier;
  std::string_view name;  // stable, kebab-case
  Severity severity;      // unless the report says otherwise
  std::string_view sentence;
};

const KindInfo& info(DiagnosticKind kind);
std::span<const KindInfo> all_kinds();
std::string_view word(Severity severity);  // "note", "warning", "error"
/// What a kind means, for `trainyard explain`: name and severity, then the sentence, on two lines.
std::string explain(const KindInfo& kind);

}  // namespace trainyard
