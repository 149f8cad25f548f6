#pragma once

#include <string>
#include <string_view>

#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// A document that was read once, at build time, in a form that is loaded without parsing: the
/// nodes with places in the document's own text, and the few texts that do not stand in it as they
/// are. For data inside the binary; origins are not kept.
std::string tree_image(const Tree& tree, std::string_view text);

/// The tree of an image, its texts being views into `text` and `image`, its spans in `file`. A tree
/// without a root when the image is cut short, points out of bounds or was made of another text.
Tree load_tree_image(std::string_view image, std::string_view text, FileId file);

}  // namespace trainyard
