#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tree/typed_fields.h"

namespace trainyard {

/// A path in a policy: `spec.containers[].env[].name`, `data[*]`,
/// `metadata.labels["app.kubernetes.io/name"]`.
struct PolicyPath {
  enum class Step : std::uint8_t {
    Field,    // of this name
    Items,    // `[]`: every item of a list
    Entries,  // `[*]`: every entry of a map
  };
  struct Part {
    Step step = Step::Field;
    std::string name;  // of a Field
  };
  std::vector<Part> parts;

  /// Calls `found` with each value at the path below `from`. A null is no value.
  template <class Found>
  void each(View from, Found found, std::size_t part = 0) const {
    if (part == parts.size()) return found(from);
    const Part& next = parts[part];
    if (next.step == Step::Field) {
      if (const View value = get(from, next.name)) each(value, found, part + 1);
      return;
    }
    const bool fits = next.step == Step::Items ? from->is_seq() : from->is_map();
    if (!fits) return;
    for (View child : Items(from)) {
      if (child.kind() != Kind::Null) each(child, found, part + 1);
    }
  }

  /// The first value at the path; an empty view for none.
  View first(View from) const;
};

/// Nothing for a text that is no path.
std::optional<PolicyPath> read_policy_path(std::string_view text);

}  // namespace trainyard
