#pragma once

#include "tree/tree.h"

namespace trainyard {

/// Whether a LabelSelector matches labels. One without terms matches everything.
bool selects(View selector, View labels);

}  // namespace trainyard
