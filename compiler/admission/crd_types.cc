#include "admission/crd_types.h"

#include <string>
#include <vector>

#include "cel/field_names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The type of a text; some formats are read as what they mean.
cel::TypeRef text_type(View schema, cel::Types& types) {
  const std::string_view format = string_at(schema, "format");
  if (format == "byte") return types.simple(cel::Type::Bytes);
  if (format == "duration") return types.simple(cel::Type::Duration);
  if (format == "date" || format == "date-time") return types.simple(cel::Type::Timestamp);
  return types.simple(cel::Type::String);
}

/// Fields that stand in every whole object. Of the metadata rules see only the name.
void add_head(std::vector<cel::TypeField>& fields, cel::Types& types) {
  const cel::TypeRef text = types.simple(cel::Type::String);
  std::erase_if(fields, [](const cel::TypeField& field) {
    return field.name == "apiVersion" || field.name == "kind" || field.name == "metadata";
  });
  fields.push_back({"apiVersion", text});
  fields.push_back({"kind", text});
  fields.push_back(
      {"metadata", types.object("metadata", {{"name", text}, {"generateName", text}})});
}

cel::TypeRef object_type(View schema, bool is_object, cel::Types& types) {
  const cel::TypeRef text = types.simple(cel::Type::String);
  const View values = get(schema, "additionalProperties");
  if (values && values->is_map()) {
    const cel::TypeRef item =
        type_of_schema(values, is_true(get(values, "x-kubernetes-embedded-resource")), types);
    return item == nullptr ? nullptr : types.map(text, item);
  }
  std::vector<cel::TypeField> fields;
  for (View property : entries_at(schema, "properties")) {
    const bool inner = is_true(get(property, "x-kubernetes-embedded-resource"));
    const cel::TypeRef type = type_of_schema(property, inner, types);
    std::string name;
    if (type == nullptr || !cel::escape_field(property.key(), name)) continue;
    fields.push_back({name, type});
    // Words of the language may be written as they are behind a dot.
    const bool is_word = name == "__" + std::string(property.key()) + "__";
    if (is_word) fields.push_back({std::string(property.key()), type});
  }
  if (is_object) add_head(fields, types);
  const bool named = schema.key() != "openAPIV3Schema" && schema.key() != "items";
  return types.object(named ? std::string(schema.key()) : "self", std::move(fields));
}

}  // namespace

cel::TypeRef type_of_schema(View schema, bool is_object, cel::Types& types) {
  if (!schema || !schema->is_map()) return nullptr;
  if (is_true(get(schema, "x-kubernetes-int-or-string"))) return types.dynamic();
  const std::string_view type = string_at(schema, "type");
  if (type == "object") return object_type(schema, is_object, types);
  if (type == "array") {
    const View items = get(schema, "items");
    const cel::TypeRef item =
        type_of_schema(items, is_true(get(items, "x-kubernetes-embedded-resource")), types);
    return item == nullptr ? nullptr : types.list(item);
  }
  if (type == "string") return text_type(schema, types);
  if (type == "boolean") return types.simple(cel::Type::Bool);
  if (type == "integer") return types.simple(cel::Type::Int);
  if (type == "number") return types.simple(cel::Type::Double);
  return nullptr;  // rules do not see it
}

}  // namespace trainyard
