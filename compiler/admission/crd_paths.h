#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Where a path leads in the schema of a CustomResourceDefinition.
struct SchemaPath {
  std::optional<std::string> fault;  // why it leads nowhere, as the end of a sentence
  View schema;                       // at its end; an empty view where nothing is said of that
};

/// Follows `.spec.replicas` or `.labels['example.com/a']` from `schema` on.
SchemaPath follow_path(std::string_view path, View schema);

}  // namespace trainyard
