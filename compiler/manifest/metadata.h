#pragma once

#include <string_view>

#include "tree/tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

/// The text of a label or an annotation of what `holder` is the object or the template of; an empty
/// view when it is not set. An empty text is one that is set.
inline View label(View holder, std::string_view key) {
  return get(get(get(holder, "metadata"), "labels"), key);
}
inline View annotation(View holder, std::string_view key) {
  return get(get(get(holder, "metadata"), "annotations"), key);
}

inline View metadata_name(View object) {
  return get(get(object, "metadata"), "name");
}
inline std::string_view metadata_namespace(View object) {
  return string_at(get(object, "metadata"), "namespace");
}

}  // namespace trainyard
