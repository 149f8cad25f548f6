#pragma once

#include "cel/types.h"
#include "tree/tree.h"

namespace trainyard {

/// What a schema of a CustomResourceDefinition says of a value, as its rules see it. `is_object` is
/// for whole objects, and for those that stand inside others: they have a name and a kind.
/// Null for what they cannot look at. kubernetes/apiserver pkg/cel/common/schemas.go
cel::TypeRef type_of_schema(View schema, bool is_object, cel::Types& types);

}  // namespace trainyard
