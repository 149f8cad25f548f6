#pragma once

#include <string>

#include "picture/picture.h"

namespace trainyard {

/// A picture for a terminal: a box is a line, and what is inside is indented.
std::string picture_text(const Picture& picture);

}  // namespace trainyard
