#include "driver/function/files_in_front.h"

#include <filesystem>

namespace trainyard {

FileRead FilesInFront::read(const std::string& path, std::size_t limit, Accept accept) {
  const auto found = files.find(path);
  if (found == files.end()) return behind_.read(path, limit, accept);
  return {found->second, {}};
}

bool FilesInFront::is_directory(const std::string& path) {
  return !files.contains(path) && behind_.is_directory(path);
}

bool FilesInFront::exists(const std::string& path) {
  return files.contains(path) || behind_.exists(path);
}

Listing FilesInFront::list(const std::string& path) {
  return behind_.list(path);
}

std::optional<std::string> FilesInFront::real_path(const std::string& path) {
  if (!files.contains(path)) return behind_.real_path(path);
  const std::filesystem::path here = behind_.real_path(".").value_or("/");
  return (here / path).lexically_normal().string();
}

OpenedFolder FilesInFront::open_folder(const std::string& path, FolderUse use) {
  return behind_.open_folder(path, use);
}

std::optional<FileError> FilesInFront::write(const std::string& path, std::string_view text) {
  return behind_.write(path, text);
}

}  // namespace trainyard
