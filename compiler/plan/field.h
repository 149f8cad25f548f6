#pragma once

#include "source/origin.h"

namespace trainyard {

/// A value of the plan together with why it is so. Unset until a rule sets it.
template <class T>
struct Field {
  T value{};
  OriginId origin = kNoOrigin;
  bool is_set = false;

  explicit operator bool() const { return is_set; }
  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
};

}  // namespace trainyard
