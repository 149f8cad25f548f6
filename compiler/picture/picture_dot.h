#pragma once

#include <string>

#include "picture/picture.h"

namespace trainyard {

/// A picture in the language of Graphviz (https://graphviz.org/doc/info/lang.html).
std::string picture_dot(const Picture& picture);

}  // namespace trainyard
