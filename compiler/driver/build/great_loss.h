#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A folder that loses most of its files.
struct FolderLoss {
  std::string folder;  // without a slash at its end
  std::size_t owned = 0;
  std::size_t removed = 0;
  std::string first;  // a file that goes
};

/// The folders that lose more than half of their files, and more than one: rather a missing input
/// than a wish. Names are paths; `removed` is part of `owned`.
std::vector<FolderLoss> great_losses(std::span<const std::string_view> owned,
                                     std::span<const std::string_view> removed);

}  // namespace trainyard
