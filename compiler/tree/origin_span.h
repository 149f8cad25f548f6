#pragma once

#include <span>
#include <string_view>

#include "source/origin.h"
#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// The texts of the user that objects are made from.
using Documents = std::span<const Tree* const>;

/// The key of an entry that holds a place, when it is this key; else the place. What is named by a
/// key has the place of its value.
Span key_span_of_origin(Documents documents, Span value, std::string_view key);

/// The text that an origin leads back to: the user's before the template's.
Span span_of_origin(const Origins& origins, OriginId id);

}  // namespace trainyard
