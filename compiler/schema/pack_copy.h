#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "schema/pack_tables.h"

namespace trainyard {

/// Copies schemas of a finished pack into the tables of a new one.
class PackCopy {
 public:
  PackCopy(const SchemaPack* from, PackTables& to) : from_(from), to_(to) {}

  /// By a name as references write it: `core/v1/PodSpec`, a kind or a definition.
  std::optional<SchemaId> named(std::string_view name);

 private:
  SchemaId copy(SchemaId id);
  SchemaId optional(SchemaId id) { return id == kNoLimit ? kNoLimit : copy(id); }
  SchemaNode content(const SchemaNode& node);
  PackText text(PackText t) { return to_.text(from_->text(t)); }
  PackRange texts(PackRange range);
  PackRange ids(PackRange range);
  PackRange rules(const SchemaNode& node);
  PackRange properties(const SchemaNode& node);

  const SchemaPack* from_;
  PackTables& to_;
  std::map<SchemaId, SchemaId> copied_;
  std::map<SchemaId, SchemaId> open_;  // being copied; reserved when asked for again
};

}  // namespace trainyard
