#pragma once

#include <string>

#include "tree/tree.h"

namespace trainyard {

/// The name that an object will have, for what is made from it.
struct ObjectName {
  View at;           // where it stands; an empty view when there is none
  std::string text;  // with five characters in place of those that `generateName` leaves open

  explicit operator bool() const { return static_cast<bool>(at); }
};

/// kubernetes/apiserver pkg/storage/names/generate.go: what is too long of a generateName is cut.
ObjectName object_name(View object);

}  // namespace trainyard
