#pragma once

#include <string>

#include "driver/session/session.h"
#include "editor/yaml_outline.h"

namespace trainyard {

/// What the schema of its kind says of a place in a document.
struct FieldPlace {
  const SchemaPack* pack = nullptr;  // null where the kind is not known
  const SchemaKind* kind = nullptr;
  SchemaId schema = kAnySchema;  // of the value of the node; kAnySchema where nothing is known
  std::string path;              // `spec.storage[data].claim`, as `describe_field` takes it

  bool is_known() const { return pack != nullptr && schema != kAnySchema; }
  const SchemaNode& node() const { return (*pack)[schema]; }
};

/// The place of a node; a document itself has that of its kind. `file` tells a config file, which
/// needs no kind.
FieldPlace field_place(Session& session, std::string_view file, const Outline& outline,
                       std::uint32_t node);

}  // namespace trainyard
