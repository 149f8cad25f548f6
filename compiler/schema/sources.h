#pragma once

#include <span>

#include "schema/pack.h"
#include "schema/schema_check.h"

namespace trainyard {

/// A pack of schemas, and what checks against it.
struct SchemaSource {
  const SchemaPack& pack;
  Checker& checker;
};
/// Packs in the order in which they are asked: the first one that has a kind counts.
using SchemaSources = std::span<const SchemaSource>;

}  // namespace trainyard
