#pragma once

#include "schema/subject.h"

namespace trainyard {

/// Whether a value that is not null has a type that the schema allows.
bool type_fits(const SchemaNode& schema, const Node& node);

/// Whether a scalar of this kind is right for the schema without a look at its text: nothing but
/// the type is asked for. Most scalars are.
inline bool takes_any(const SchemaNode& schema, Kind kind) {
  if (kind != Kind::String && kind != Kind::Bool) return false;
  const std::uint32_t wanted = kind == Kind::String ? kString : kBoolean;
  if ((schema.types & wanted) == 0 || (schema.flags & (kIntOrString | kQuantity)) != 0)
    return false;
  const std::uint32_t more = schema.enum_values.count | schema.rules.count | schema.all_of.count |
                             schema.any_of.count | schema.one_of.count;
  if (more != 0 || schema.negated != kNoLimit) return false;
  if (kind == Kind::Bool) return true;
  return schema.min_length == 0 && schema.max_length == kNoLimit &&
         (schema.pattern.size | schema.format.size) == 0;
}

/// Reports a value whose type does not fit.
void report_wrong_type(const Subject& subject, const SchemaNode& schema, const Frame& at);
/// A null where the schema allows none. `merged`: in a part that is merged into an object, where it
/// takes a field away.
void check_null(const Subject& subject, const SchemaNode& schema, const Frame& at, bool merged);
/// The values that the schema lists, if it does.
void check_enum(const Subject& subject, const SchemaNode& schema, const Frame& at);

}  // namespace trainyard
