#include "cel/types.h"

#include <algorithm>

namespace trainyard::cel {

using Sort = StaticType::Sort;

TypeRef Types::simple(Type kind) {
  for (const StaticType& each : kept_) {
    if (each.is(kind)) return &each;
  }
  StaticType made;
  made.sort = Sort::Simple;
  made.kind = kind;
  return keep(std::move(made));
}

TypeRef Types::list(TypeRef item) {
  StaticType made;
  made.sort = Sort::List;
  made.item = item;
  return keep(std::move(made));
}

TypeRef Types::map(TypeRef key, TypeRef item) {
  StaticType made;
  made.sort = Sort::Map;
  made.key = key;
  made.item = item;
  return keep(std::move(made));
}

TypeRef Types::optional(TypeRef item) {
  StaticType made;
  made.sort = Sort::Optional;
  made.item = item;
  return keep(std::move(made));
}

TypeRef Types::object(std::string name, std::vector<TypeField> fields) {
  StaticType made;
  made.sort = Sort::Object;
  made.name = std::move(name);
  made.fields = std::move(fields);
  return keep(std::move(made));
}

bool same_type(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a->sort != b->sort || a->kind != b->kind || a->name != b->name) return false;
  if (a->is(Sort::Object)) {
    return std::ranges::equal(a->fields, b->fields, [](const TypeField& x, const TypeField& y) {
      return x.name == y.name && same_type(x.type, y.type);
    });
  }
  if (a->key != nullptr && !same_type(a->key, b->key)) return false;
  return a->item == nullptr || same_type(a->item, b->item);
}

bool fits_type(TypeRef from, TypeRef to) {
  if (from->is_open() || to->is_open()) return true;
  // A null stands for what may be absent: objects, times, types of libraries.
  const auto takes_null = [](TypeRef type) {
    if (!type->is(Sort::Simple)) return type->is(Sort::Object) || type->is(Sort::Optional);
    return type->kind == Type::Null || type->kind >= Type::Duration;
  };
  if (from->is(Type::Null)) return takes_null(to);
  if (to->is(Type::Null)) return takes_null(from);
  if (from->sort != to->sort) return false;
  switch (to->sort) {
    case Sort::Simple:
      return from->kind == to->kind;
    case Sort::Map:
      return fits_type(from->key, to->key) && fits_type(from->item, to->item);
    case Sort::List:
    case Sort::Optional:
      return fits_type(from->item, to->item);
    default:
      return from->name == to->name;
  }
}

std::string type_text(TypeRef type) {
  switch (type->sort) {
    case Sort::Unknown:
    case Sort::Dynamic:
      return "dyn";
    case Sort::Simple:
      return std::string(type_name(type->kind));
    case Sort::List:
      return "list(" + type_text(type->item) + ")";
    case Sort::Map:
      return "map(" + type_text(type->key) + ", " + type_text(type->item) + ")";
    case Sort::Optional:
      return "optional(" + type_text(type->item) + ")";
    case Sort::Object:
      return type->name;
  }
  return {};
}

}  // namespace trainyard::cel
