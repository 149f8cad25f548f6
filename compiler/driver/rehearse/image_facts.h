#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What an image says of its containers, and where its files are.
struct ImageFacts {
  std::string fault;  // why there are none; "" if there are
  std::string root;   // the folder of its files
  std::map<std::string, std::string> environment;
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;  // the arguments of the entry point, or all words
  std::string working_directory = "/";
};

/// The facts of what `podman image inspect` prints of one image (containers/podman
/// docs/source/markdown/podman-image-inspect.1.md.in). Without a root.
ImageFacts read_image_facts(std::string_view inspected);

}  // namespace trainyard
