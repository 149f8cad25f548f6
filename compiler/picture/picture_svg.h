#pragma once

#include <string>

#include "picture/picture.h"

namespace trainyard {

/// A picture as SVG that needs nothing else: no script, font or link. It follows the reader's
/// choice of light or dark, and says in `<desc>` what it shows.
std::string picture_svg(const Picture& picture);

}  // namespace trainyard
