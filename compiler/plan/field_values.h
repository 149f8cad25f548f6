#pragma once

#include <string_view>
#include <vector>

#include "plan/fields.h"

/// How the tables of fields make values of a plan's members.
namespace trainyard::values {

template <class T>
PlanValue of(const Field<T>& field) {
  if (!field.is_set) return {};
  return {field.value, field.origin};
}

template <class T>
PlanValue list(const std::vector<T>& items) {
  if (items.empty()) return {};
  return {std::span<const T>(items), kNoOrigin};
}

inline PlanValue text(std::string_view value, OriginId origin) {
  if (value.empty()) return {};
  return {value, origin};
}

inline PlanValue flag(bool value, OriginId origin) {
  if (!value) return {};
  return {true, origin};
}

}  // namespace trainyard::values
