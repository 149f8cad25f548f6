#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Why a path could not be read or written; `message` is the system's own words, lower case.
struct FileError {
  enum class Reason {
    NotFound,
    IsDirectory,
    NotPermitted,
    TooLarge,
    NotRegular,
    Other
  } reason = Reason::Other;
  std::string message;
};

struct FileRead {
  std::string text;
  std::optional<FileError> error;
};

/// What a path may lead to when it is read. A FIFO or a device can block for ever, so only what the
/// command line names may be one.
enum class Accept { RegularFile, Stream };

/// One name in a directory.
struct DirectoryEntry {
  std::string name;
  bool is_directory = false;  // of a link: where it leads
  bool is_link = false;
};

/// The one place through which the compiler sees files; tests use the one in memory.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// The whole file. A file of more than `limit` bytes is TooLarge and is not read. Anything but a
  /// regular file is NotRegular unless `accept` is Stream; opening it does not block.
  virtual FileRead read(const std::string& path, std::size_t limit,
                        Accept accept = Accept::RegularFile) = 0;
  virtual bool is_directory(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  /// What a directory holds, sorted by byte value of the names.
  virtual std::vector<DirectoryEntry> entries(const std::string& path) = 0;
  /// The names alone; those of directories end in '/'.
  std::vector<std::string> list(const std::string& path);
  /// The absolute path without links; nothing when there is no such file or directory.
  virtual std::optional<std::string> real_path(const std::string& path) = 0;
  /// Writes so that a reader sees the old file or the new one, never a part. Makes directories;
  /// keeps the permissions of a file that is there, and a link to it.
  virtual std::optional<FileError> write(const std::string& path, std::string_view text) = 0;
  virtual std::optional<FileError> remove(const std::string& path) = 0;
};

/// The machine's own files.
class RealFileSystem : public FileSystem {
 public:
  FileRead read(const std::string& path, std::size_t limit,
                Accept accept = Accept::RegularFile) override;
  bool is_directory(const std::string& path) override;
  bool exists(const std::string& path) override;
  std::vector<DirectoryEntry> entries(const std::string& path) override;
  std::optional<std::string> real_path(const std::string& path) override;
  std::optional<FileError> write(const std::string& path, std::string_view text) override;
  std::optional<FileError> remove(const std::string& path) override;
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
  std::vector<DirectoryEntry> entries(const std::string& path) override;
  std::optional<std::string> real_path(const std::string& path) override;
  std::optional<FileError> write(const std::string& path, std::string_view text) override;
  std::optional<FileError> remove(const std::string& path) override;

 private:
  /// The key in `files` that a path means; the path itself where there is none.
  std::string key_of(const std::string& path) const;
};

}  // namespace trainyard
