#pragma once

#include <string_view>

#include "target/object_set.h"

namespace trainyard {

/// Names an object by all that is in it: the last eight characters of `placeholder`, the name that
/// it has so far, become digits of a hash over its kind, labels and everything beside its metadata;
/// whatever refers to it by that name follows. Two that differ never share a name, and one that
/// stays the same keeps its own.
void name_by_content(ObjectSet& objects, std::string_view placeholder);

/// Two spellings of one amount are written as one, so they must not make two names.
void canonicalise_amounts(Tree& tree, NodeId id);

}  // namespace trainyard
