#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "editor/yaml_outline.h"

namespace trainyard {

/// What a text in a document can be the name of.
enum class NameSort : std::uint8_t {
  Pool,
  Machine,
  Queue,
  PriorityClass,
  Claim,
  StorageClass,
  Runtime,
  Fabric,
  Namespace,
  Target,
  Image,
  Job,
  Role,
  File,
};

/// A name, and the bytes that are it.
struct SortedName {
  NameSort sort = NameSort::Pool;
  bool is_definition = false;
  std::string_view name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What the value of a node names, by the fields that it is in. A key is a name as well: that of a
/// role. `on_key` asks about the key.
std::optional<SortedName> name_at(const Outline& outline, std::uint32_t node, bool on_key);

/// What sort of name the value of a node is, also while it is empty.
std::optional<NameSort> sort_of_value(const Outline& outline, std::uint32_t node);

}  // namespace trainyard
