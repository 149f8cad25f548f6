#include "spec/known_images.h"

#include <algorithm>
#include <vector>

#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_images();  // made by the build from templates/images/

namespace {

/// `text.starts_with(head)`; most differ in their first byte, which needs no call.
bool begins_with(std::string_view text, std::string_view head) {
  if (!text.empty() && !head.empty() && text.front() != head.front()) return false;
  return text.starts_with(head);
}

/// A pattern in which `*` stands for any text.
class Pattern {
 public:
  explicit Pattern(std::string_view text)
      : head_(text.substr(0, text.find('*'))), rest_(text.substr(head_.size())) {}

  bool fits(std::string_view text) const {
    return begins_with(text, head_) && fits(rest_, text.substr(head_.size()));
  }

 private:
  static bool fits(std::string_view rest, std::string_view text) {
    if (rest.empty()) return text.empty();
    const Pattern behind(rest.substr(1));
    for (std::size_t at = 0; at <= text.size(); ++at) {
      if (behind.fits(text.substr(at))) return true;
    }
    return false;
  }

  std::string_view head_;
  std::string_view rest_;  // from the first `*` on
};

/// Without tag and digest; a colon before the last slash is that of a port.
std::string_view repository_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.rfind(':');
  const bool has_tag = colon != image.npos && (slash == image.npos || colon > slash);
  return has_tag ? image.substr(0, colon) : image;
}

struct Catalogue {
  struct Entry {
    Pattern pattern;
    KnownImage image;
  };
  std::vector<std::string_view> mirrors;
  std::vector<Entry> images;
};

Catalogue read_catalogue() {
  const View spec = View(image_catalogue(), image_catalogue().root())["spec"];
  Catalogue read;
  for (const View mirror : items_at(spec, "mirrors")) read.mirrors.push_back(mirror.text());
  for (const View entry : items_at(spec, "images")) {
    const std::string_view repository = entry["repository"].text();
    read.images.push_back({Pattern(repository), {repository, entry["user"].text()}});
  }
  return read;
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
  static const Catalogue known = read_catalogue();
  std::string_view repository = repository_of(image);
  const auto mirror = std::ranges::find_if(
      known.mirrors, [&](std::string_view each) { return begins_with(repository, each); });
  if (mirror != known.mirrors.end()) repository.remove_prefix(mirror->size());
  const auto found = std::ranges::find_if(
      known.images, [&](const auto& each) { return each.pattern.fits(repository); });
  return found == known.images.end() ? std::nullopt : std::optional(found->image);
}

}  // namespace trainyard
