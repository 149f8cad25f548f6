#pragma once

#include "tree/tree.h"

namespace trainyard {

/// Whether a Service passes on to pods of an object with these labels, as far as they are known.
bool leads_to(View service, View object, View labels);

}  // namespace trainyard
