#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/folder.h"

namespace trainyard {

/// What a path may lead to when it is read. A FIFO or a device can block for ever, so only what the
/// command line names may be one.
enum class Accept { RegularFile, Stream };

/// The one place through which the compiler sees files; tests use the one in memory.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// The whole file. A file of more than `limit` bytes is TooLarge and is not read. Anything but a
  /// regular file is NotAFile unless `accept` is Stream; opening it does not block.
  virtual FileRead read(const std::string& path, std::size_t limit,
                        Accept accept = Accept::RegularFile) = 0;
  virtual bool is_directory(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual Listing list(const std::string& path) = 0;
  /// The absolute path without links; nothing when there is no such file or directory.
  virtual std::optional<std::string> real_path(const std::string& path) = 0;
  /// The last part of the path must not be a link.
  virtual OpenedFolder open_folder(const std::string& path, FolderUse use) = 0;
  /// Changes one file as a Folder does. Makes directories; follows a link to the file and keeps it.
  virtual std::optional<FileError> write(const std::string& path, std::string_view text) = 0;
};

/// The machine's own files.
class RealFileSystem : public FileSystem {
 public:
  FileRead read(const std::string& path, std::size_t limit,
                Accept accept = Accept::RegularFile) override;
  bool is_directory(const std::string& path) override;
  bool exists(const std::string& path) override;
  Listing list(const std::string& path) override;
  std::optional<std::string> real_path(const std::string& path) override;
  OpenedFolder open_folder(const std::string& path, FolderUse use) override;
  std::optional<FileError> write(const std::string& path, std::string_view text) override;

 private:
  std::set<std::string> swept_;  // directories, once each
};

/// Files in memory, for tests. Directories exist where a file lies below them. A path may be
/// relative or begin with '/', which is the same place, and may have steps (`a/../b`).
class MemoryFileSystem : public FileSystem {
 public:
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
  /// The key in `files` that a path means; the path itself where there is none.
  std::string key_of(const std::string& path) const;
};

}  // namespace trainyard
