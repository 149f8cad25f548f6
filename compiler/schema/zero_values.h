#pragma once

#include <string_view>

#include "schema/frame.h"

namespace trainyard {

// What the document of the API wants of kinds of Kubernetes and the server does not: it decodes
// them into Go types, and goes on with the zero value. A real server shows which
// (tests/e2e asks one).

/// Whether `field` may be missing from the map at `at`, in an object of this group.
bool is_taken_as_zero(const Tree& tree, const Frame& at, std::string_view group,
                      std::string_view field);

/// Whether the null item at `at` of a list counts as an empty one.
bool is_taken_as_empty_item(const Tree& tree, const Frame& at, std::string_view group);

}  // namespace trainyard
