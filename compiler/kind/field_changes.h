#pragma once

#include <string>
#include <vector>

#include "kind/job_kind.h"
#include "tree/tree.h"

namespace trainyard {

/// A field that two objects differ in.
struct FieldChange {
  std::string path;  // `spec.template.spec.containers[main].image`
  View before;       // empty where it is new
  View after;        // empty where it is taken away
  ChangeEffect effect = ChangeEffect::Works;
};

/// All fields of metadata and spec that differ, and what becomes of each change while the job is
/// there as `before` says. Items of lists are known by their `name`, else by their place. Of
/// metadata, labels and annotations count alone.
std::vector<FieldChange> field_changes(const JobKind& kind, View before, View after);

/// A part of an object whose change a job that runs cannot take.
struct FixedPart {
  std::string_view path;  // that of the table; `[]` is the next item
  View value;
};

/// All of them: what is refused, ignored, or restarts pods, whether the job is suspended or not. Of
/// what only may not come or go, an empty view says that it is there.
std::vector<FixedPart> fixed_parts(const KindChanges& changes, View object);

}  // namespace trainyard
