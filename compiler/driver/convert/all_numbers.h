#pragma once

#include "driver/session/session.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether no text stands where the API of an object has a number or an amount, such as `${GPUS}`;
/// otherwise that is reported. Texts that are yet to be filled in become part of a spec, but
/// numbers decide what it is.
bool has_all_numbers(Session& session, View object);

}  // namespace trainyard
