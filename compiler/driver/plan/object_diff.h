#pragma once

#include <string>
#include <vector>

#include "tree/differences.h"
#include "tree/tree.h"

namespace trainyard {

/// A field that differs between two states of an object. Values are on one line, masked, and cut
/// when they are long; "" where the field is not there.
struct ValueChange {
  std::string path;  // spec.template.spec.containers[main].image
  std::string before;
  std::string after;
};

/// The fields in which two states of an object differ, without what the server itself writes into
/// `metadata` and `status`.
std::vector<Difference> object_differences(View before, View after);

/// A difference as it may be shown. `is_secret` says that the object is a Secret.
ValueChange shown_change(const Difference& difference, bool is_secret);

/// Two answers of the API server about one object, compared. What the server itself writes into
/// `metadata` and `status` is passed over. Items of lists are known by their `name`, `key` or
/// `type`, else by their place. Values of a Secret are never shown.
std::vector<ValueChange> changes_between(View before, View after);

}  // namespace trainyard
