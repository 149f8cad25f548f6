#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "diag/kind.h"

namespace trainyard {

/// The annotation by which an object asks for severities of lints:
/// `trainyard/checks: "mutable-image-tag=off, gang-size=error"`.
inline constexpr std::string_view kChecksAnnotation = "trainyard/checks";

/// What the user asks of a check.
struct SeverityOverride {
  bool on = true;
  std::optional<Severity> severity = {};  // nothing for the check's own
};
inline constexpr SeverityOverride kCheckOff{.on = false};

/// Severities that the user has asked for, by name of the check.
class Severities {
 public:
  void set(std::string name, SeverityOverride choice) {
    overrides_.insert_or_assign(std::move(name), choice);
  }
  bool is_off(std::string_view name) const;
  /// The user has asked for it, with any severity.
  bool is_on(std::string_view name) const;
  /// The severity asked for; nothing when none is, or the check is off.
  std::optional<Severity> of(std::string_view name) const;
  bool empty() const { return overrides_.empty(); }
  void clear() { overrides_.clear(); }

 private:
  std::map<std::string, SeverityOverride, std::less<>> overrides_;
};

/// `off`, `on`, `note` (or `info`), `warning`, `error`; false for another word.
bool parse_severity_override(std::string_view word, SeverityOverride& choice);
/// The words for it, for messages.
inline constexpr std::string_view kSeverityWords = "`off`, `on`, `note`, `warning` or `error`";

}  // namespace trainyard
