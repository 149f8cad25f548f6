#pragma once

#include <optional>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// What templates/images/ says of an image; the texts live as long as the program.
struct KnownImage {
  std::string_view repository;  // the pattern that fits
  std::string_view user;        // `root`, the number of another user, or a name

  /// Whether the kubelet can tell that the user is not root: it knows numbers only.
  bool starts_without_root() const;
};

/// An image by its name, with registry, tag and digest or without; nothing when it is not known.
std::optional<KnownImage> known_image(std::string_view image);

/// The catalogue's document.
const Tree& image_catalogue();

}  // namespace trainyard
