#include "check/severities.h"

namespace trainyard {

bool Severities::is_off(std::string_view name) const {
  const auto found = overrides_.find(name);
  return found != overrides_.end() && !found->second.on;
}

bool Severities::is_on(std::string_view name) const {
  const auto found = overrides_.find(name);
  return found != overrides_.end() && found->second.on;
}

std::optional<Severity> Severities::of(std::string_view name) const {
  const auto found = overrides_.find(name);
  return found == overrides_.end() || !found->second.on ? std::nullopt : found->second.severity;
}

bool parse_severity_override(std::string_view word, SeverityOverride& choice) {
  if (word == "off") {
    choice = kCheckOff;
  } else if (word == "on") {
    choice = {};
  } else if (word == "note" || word == "info") {
    choice = {.severity = Severity::Note};
  } else if (word == "warning") {
    choice = {.severity = Severity::Warning};
  } else if (word == "error") {
    choice = {.severity = Severity::Error};
  } else {
    return false;
  }
  return true;
}

}  // namespace trainyard
