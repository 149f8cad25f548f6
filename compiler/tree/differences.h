#pragma once

#include <string>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A field in which two trees differ.
struct Difference {
  std::string path;  // spec.template.spec.containers[main].image
  View before;       // empty where it is new
  View after;        // empty where it is taken away
};

/// Appends the fields in which two values differ; `path` is that of the values themselves. Items of
/// lists are known by their `name`, `key` or `type` where each item has one of its own, else
/// by their place. A key with dots or slashes stands in brackets. Either value may be empty.
void append_differences(View before, View after, const std::string& path,
                        std::vector<Difference>& into);

}  // namespace trainyard
