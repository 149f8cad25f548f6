#pragma once

#include <map>

#include "cel/types.h"
#include "schema/pack.h"

namespace trainyard {

/// The types that values have by their schema, for expressions that read documents as they are
/// written (cel::TreeValues). What a schema leaves open, also whether a number is whole, is
/// dynamic.
class SchemaTypes {
 public:
  SchemaTypes(const SchemaPack& pack, cel::Types& types) : pack_(pack), types_(types) {}

  cel::TypeRef of(SchemaId schema);

 private:
  cel::TypeRef make(const SchemaNode& node);

  const SchemaPack& pack_;
  cel::Types& types_;
  std::map<SchemaId, cel::TypeRef> made_;
};

}  // namespace trainyard
