#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/rule.h"

namespace trainyard::testing {

/// What a rule says that it reads or sets, field by field.
inline std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// One field, or a group and what is in it: `plan.gang` and `plan.gang.system`.
inline bool overlaps(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (b.size() == a.size() || b[a.size()] == '.');
}

/// The rule with the longest name that `name` begins with. Null where there is none.
inline const Rule* rule_at_front(std::string_view name) {
  const Rule* found = nullptr;
  for (const Rule* rule : all_rules()) {
    const bool is_of = name == rule->name || name.starts_with(std::string(rule->name) + "-");
    if (is_of && (found == nullptr || rule->name.size() > found->name.size())) found = rule;
  }
  return found;
}

/// The rule that a golden case is named after, by its own name or by that with its folders in
/// front: of `resources/gpu-share` it is `gpu-share`, of `data/transfer-s3` it is `data-transfer`.
/// Null for other cases.
inline const Rule* rule_of_case(std::string_view name) {
  std::string from_here;
  while (!name.empty()) {
    const std::size_t slash = name.rfind('/');
    const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    from_here.insert(0, std::string(name.substr(begin)) + (from_here.empty() ? "" : "-"));
    if (const Rule* found = rule_at_front(from_here)) return found;
    name = name.substr(0, begin == 0 ? 0 : slash);
  }
  return nullptr;
}

}  // namespace trainyard::testing
