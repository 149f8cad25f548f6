#include "kind/field_changes.h"

#include <algorithm>

#include "tree/differences.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Calls `use` with the values at a path of the table.
template <class Use>
void each_at(View at, std::string_view path, const Use& use) {
  while (at && !path.empty()) {
    if (path.starts_with("[]")) {
      if (!has_items(at)) return;
      for (View item : Items(at)) each_at(item, path.substr(2), use);
      return;
    }
    if (path.front() == '.') path.remove_prefix(1);
    const bool in_brackets = path.front() == '[';
    if (in_brackets) path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(in_brackets ? "]" : ".["), path.size());
    at = get(at, path.substr(0, end));
    path.remove_prefix(std::min(end + (in_brackets ? 1 : 0), path.size()));
  }
  if (at) use(at);
}

}  // namespace

std::vector<FixedPart> fixed_parts(const KindChanges& changes, View object) {
  std::vector<FixedPart> parts;
  for (const auto* paths : {&changes.refused, &changes.ignored, &changes.restarts}) {
    for (const std::string_view path : *paths) {
      each_at(object, path, [&](View value) { parts.push_back({path, value}); });
    }
  }
  for (const std::string_view path : changes.presence) {
    each_at(object, path, [&](View) { parts.push_back({path, View()}); });
  }
  return parts;
}

std::vector<FieldChange> field_changes(const JobKind& kind, View before, View after) {
  std::vector<Difference> found;
  append_differences(get(before, "spec"), get(after, "spec"), "spec", found);
  for (const char* each : {"labels", "annotations"}) {
    append_differences(get(get(before, "metadata"), each), get(get(after, "metadata"), each),
                       std::string("metadata.") + each, found);
  }
  std::vector<FieldChange> changes;
  for (const Difference& each : found) {
    changes.push_back({each.path, each.before, each.after, effect_of(kind, before, each.path)});
  }
  return changes;
}

}  // namespace trainyard
