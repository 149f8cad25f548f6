#include "policy/schema_types.h"

#include <string>
#include <utility>
#include <vector>

#include "cel/field_names.h"

namespace trainyard {

cel::TypeRef SchemaTypes::of(SchemaId schema) {
  // A schema that contains itself has this type there.
  const auto [found, is_new] = made_.emplace(schema, types_.dynamic());
  if (is_new) found->second = make(pack_[schema]);
  return found->second;
}

cel::TypeRef SchemaTypes::make(const SchemaNode& node) {
  if ((node.flags & (kIntOrString | kPreserveUnknown | kQuantity)) != 0) {
    return types_.dynamic();
  }
  switch (node.types) {
    case kString:
      return types_.simple(cel::Type::String);
    case kInteger:
      return types_.simple(cel::Type::Int);
    case kBoolean:
      return types_.simple(cel::Type::Bool);
    case kArray:
      return types_.list(node.items == kNoLimit ? types_.dynamic() : of(node.items));
    case kObject:
      break;
    default:
      return types_.dynamic();
  }
  if (node.additional != kNoLimit && node.properties.count == 0) {
    return types_.map(types_.simple(cel::Type::String), of(node.additional));
  }
  if ((node.flags & kClosed) == 0 || node.additional != kNoLimit) return types_.dynamic();
  std::vector<cel::TypeField> fields;
  for (const SchemaProperty& each : pack_.properties(node)) {
    std::string name;
    if (!cel::escape_field(pack_.text(each.name), name)) continue;
    fields.push_back({std::move(name), of(each.schema)});
  }
  return types_.object("object", std::move(fields));
}

}  // namespace trainyard
