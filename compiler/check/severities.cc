#include "check/severities.h"

namespace trainyard {

bool Severities::is_off(std::string_view name) const {
  const auto found = wishes_.find(name);
  return found != wishes_.end() && !found->second.on;
}

bool Severities::is_on(std::string_view name) const {
  const auto found = wishes_.find(name);
  return found != wishes_.end() && found->second.on;
}

std::optional<Severity> Severities::of(std::string_view name) const {
  const auto found = wishes_.find(name);
  return found == wishes_.end() || !found->second.on ? std::nullopt : found->second.severity;
}

bool read_wish(std::string_view word, Severities::Wish& wish) {
  if (word == "off") {
    wish = kCheckOff;
  } else if (word == "on") {
    wish = {};
  } else if (word == "note" || word == "info") {
    wish = {.severity = Severity::Note};
  } else if (word == "warning") {
    wish = {.severity = Severity::Warning};
  } else if (word == "error") {
    wish = {.severity = Severity::Error};
  } else {
    return false;
  }
  return true;
}

}  // namespace trainyard
