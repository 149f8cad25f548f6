#pragma once

#include <string>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A field that differs between two states of an object. Values are on one line, masked, and cut
/// when they are long; "" where the field is not there.
struct ValueChange {
  std::string path;  // spec.template.spec.containers[main].image
  std::string before;
  std::string after;
};

/// Two answers of the API server about one object, compared. What the server itself writes into
/// `metadata` and `status` is passed over. Items of lists are told apart by their `name`, `key` or
/// `type`, else by their place. Values of a Secret are never shown.
std::vector<ValueChange> changes_between(View before, View after);

}  // namespace trainyard
