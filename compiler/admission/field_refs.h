#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// `metadata.labels['a/b']` taken apart.
struct FieldSubscript {
  std::string_view path;
  std::string_view key;
};
std::optional<FieldSubscript> field_subscript(std::string_view text);

/// Where a field of the pod is asked for: an environment variable and a file can show different
/// ones.
enum class FieldUse : std::uint8_t { Variable, File };

/// A `fieldRef`: which field of the pod.
void check_field_ref(View ref, FieldUse use, CheckContext& context);
/// A `resourceFieldRef`: which request or limit, in which unit.
void check_resource_ref(View ref, FieldUse use, CheckContext& context);

}  // namespace trainyard
