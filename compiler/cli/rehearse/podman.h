#pragma once

#include <map>
#include <string>

#include "driver/rehearse/image_facts.h"

namespace trainyard {

/// Images that podman has on this machine. They stay mounted as long as this lives.
class PodmanImages {
 public:
  PodmanImages() = default;
  PodmanImages(const PodmanImages&) = delete;
  ~PodmanImages();

  /// Asks podman once for each image.
  const ImageFacts& facts(const std::string& image);

 private:
  std::map<std::string, ImageFacts> known_;
};

/// Starts this program again by `podman unshare`, where users without root can mount images. Comes
/// back where that is not needed, or with the reason why it cannot.
std::string enter_podman();

}  // namespace trainyard
