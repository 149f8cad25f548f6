#pragma once

#include <map>
#include <optional>
#include <string>

#include "source/file_system.h"

namespace trainyard {

/// Texts that stand in front of the files of another file system, by their paths. They can be read
/// alone; all else goes to the other one.
class FilesInFront : public FileSystem {
 public:
  explicit FilesInFront(FileSystem& behind) : behind_(behind) {}

  std::map<std::string, std::string> files;

  FileRead read(const std::string& path, std::size_t limit,
                Accept accept = Accept::RegularFile) override;
  bool is_directory(const std::string& path) override;
  bool exists(const std::string& path) override;
  Listing list(const std::string& path) override;
  std::optional<std::string> real_path(const std::string& path) override;
  OpenedFolder open_folder(const std::string& path, FolderUse use) override;
  std::optional<FileError> write(const std::string& path, std::string_view text) override;

 private:
  FileSystem& behind_;
};

}  // namespace trainyard
