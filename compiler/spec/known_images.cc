#include "spec/known_images.h"

#include "tree/embedded_tree.h"

namespace trainyard {

std::string_view embedded_images();  // made by the build from templates/images/

namespace {

/// Whether `text` fits a pattern in which `*` stands for any text.
bool fits(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at) {
    if (fits(rest, text.substr(at))) return true;
  }
  return false;
}

/// Without tag and digest; a colon before the last slash is that of a port.
std::string_view repository_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.rfind(':');
  const bool has_tag = colon != image.npos && (slash == image.npos || colon > slash);
  return has_tag ? image.substr(0, colon) : image;
}

}  // namespace

const Tree& image_catalogue() {
  static const Tree tree = embedded_tree(embedded_images(), "public.yaml");
  return tree;
}

bool KnownImage::starts_without_root() const {
  return user.find_first_not_of("0123456789") == user.npos &&
         user.find_first_not_of('0') != user.npos;
}

std::optional<KnownImage> known_image(std::string_view image) {
  const Tree& tree = image_catalogue();
  const View spec = View(tree, tree.root())["spec"];
  std::string_view repository = repository_of(image);
  for (const NodeId mirror : tree.children(spec["mirrors"].id())) {
    if (!repository.starts_with(tree[mirror].text)) continue;
    repository.remove_prefix(tree[mirror].text.size());
    break;
  }
  for (const NodeId id : tree.children(spec["images"].id())) {
    const View entry(tree, id);
    if (!fits(entry["repository"].text(), repository)) continue;
    return KnownImage{entry["repository"].text(), entry["user"].text()};
  }
  return std::nullopt;
}

}  // namespace trainyard
