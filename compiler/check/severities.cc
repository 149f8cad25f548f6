#include "check/severities.h"

#include <algorithm>

#include "check/severity_list.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

const std::pair<std::string, Severities::Wish>* find_last(
    const std::vector<std::pair<std::string, Severities::Wish>>& wishes, std::string_view name) {
  for (auto at = wishes.rbegin(); at != wishes.rend(); ++at) {
    if (at->first == name) return &*at;
  }
  return nullptr;
}

}  // namespace

bool Severities::is_off(std::string_view name) const {
  if (wishes_.empty()) return false;
  const auto* found = find_last(wishes_, name);
  return found != nullptr && !found->second;
}

std::optional<Severity> Severities::of(std::string_view name) const {
  if (wishes_.empty()) return std::nullopt;
  const auto* found = find_last(wishes_, name);
  return found == nullptr ? std::nullopt : found->second;
}

bool read_wish(std::string_view word, Severities::Wish& wish) {
  if (word == "off") {
    wish = std::nullopt;
  } else if (word == "note" || word == "info") {
    wish = Severity::Note;
  } else if (word == "warning") {
    wish = Severity::Warning;
  } else if (word == "error") {
    wish = Severity::Error;
  } else {
    return false;
  }
  return true;
}

void read_annotation(View object, Severities& severities) {
  const View text = get(get(get(object, "metadata"), "annotations"), kChecksAnnotation);
  each_wish(string_of(text), [&](std::string_view name, std::string_view word) {
    Severities::Wish wish;
    if (read_wish(word, wish)) severities.set(std::string(name), wish);
  });
}

}  // namespace trainyard
