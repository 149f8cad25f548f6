#pragma once

#include "tree/tree.h"

namespace trainyard {

/// `templates/shapes.yaml`, which says what objects look like: the order of their fields, and where
/// their pods are. Its comment describes it. Part of the program, loaded when it is first asked
/// for.
const Tree& shape_file();

}  // namespace trainyard
