#pragma once

#include "diag/sink.h"
#include "plan/target_facts.h"
#include "tree/tree.h"

namespace trainyard {

/// Decodes a `target.yaml`, whose texts the result views. Everything that is wrong with it is
/// reported; the result then holds what could be understood.
TargetFacts decode_target_facts(View pack, Sink& sink);

/// Adds the rows of `cannot` and `notYet` that several targets share, in a file of their own.
void add_shared_limits(View shared, TargetFacts& facts, Sink& sink);

}  // namespace trainyard
