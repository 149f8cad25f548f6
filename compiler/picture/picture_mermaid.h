#pragma once

#include <string>

#include "picture/picture.h"

namespace trainyard {

/// A picture as a flowchart of Mermaid, which GitHub and GitLab draw in a fenced block
/// (mermaid-js/mermaid docs/syntax/flowchart.md).
std::string picture_mermaid(const Picture& picture);

}  // namespace trainyard
