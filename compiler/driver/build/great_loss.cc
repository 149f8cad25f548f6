#include "driver/build/great_loss.h"

#include <map>

namespace trainyard {
namespace {

std::string_view folder_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace

std::vector<FolderLoss> great_losses(std::span<const std::string_view> owned,
                                     std::span<const std::string_view> removed) {
  std::map<std::string_view, FolderLoss> all;
  for (const std::string_view name : owned) ++all[folder_part(name)].owned;
  for (const std::string_view name : removed) {
    FolderLoss& loss = all[folder_part(name)];
    if (loss.removed++ == 0) loss.first = name;
  }
  std::vector<FolderLoss> great;
  for (auto& [folder, loss] : all) {
    if (loss.removed < 2 || loss.removed * 2 <= loss.owned) continue;
    loss.folder = folder;
    great.push_back(std::move(loss));
  }
  return great;
}

}  // namespace trainyard
