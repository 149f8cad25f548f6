#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "tree/yaml_reader.h"

namespace trainyard {

/// What the kustomization.yaml of an output directory says.
struct KustomizationEntries {
  std::set<std::string, std::less<>> names;  // of its `resources`; of both sides of a conflict
  /// It has nothing that ours could not have, but for its record, the order and what a merge by Git
  /// leaves: who lists these names anew loses nothing.
  bool is_plain = false;
  bool has_conflict = false;  // an unresolved one of Git
};

KustomizationEntries kustomization_entries(std::string_view text, const ReadLimits& limits);

}  // namespace trainyard
