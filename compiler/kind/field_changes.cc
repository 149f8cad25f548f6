#include "kind/field_changes.h"

#include "tree/differences.h"
#include "tree/typed_fields.h"

namespace trainyard {

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
