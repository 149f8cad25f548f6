#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Why a path could not be read or written; `message` is the system's own words, lower case.
struct FileError {
  enum class Reason { NotFound, IsDirectory, NotPermitted, TooLarge, Other } reason = Reason::Other;
  std::string message;
};

struct FileRead {
  std::string text;
  std::optional<FileError> error;
};

/// The one place through which the compiler sees files; tests use the one in memory.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// The whole file. A file of more than `limit` bytes is TooLarge and is not read.
  virtual FileRead read(const std::string& path, std::size_t limit) = 0;
  virtual bool is_directory(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  /// Names (not paths) of a directory's entries, sorted by byte value; directories end in '/'.
  virtual std::vector<std::string> list(const std::string& path) = 0;
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
  FileRead read(const std::string& path, std::size_t limit) override;
  bool is_directory(const std::string& path) override;
  bool exists(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;
  std::optional<std::string> real_path(const std::string& path) override;
  std::optional<FileError> write(const std::string& path, std::string_view text) override;
  std::optional<FileError> remove(const std::string& path) override;
};

/// Files in memory, for tests. Directories exist where a file lies below them.
class MemoryFileSystem : public FileSystem {
 public:
  std::map<std::string, std::string> files;

  FileRead read(const std::string& path, std::size_t limit) override;
  bool is_directory(const std::string& path) override;
  bool exists(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;
  std::optional<std::string> real_path(const std::string& path) override;
  std::optional<FileError> write(const std::string& path, std::string_view text) override;
  std::optional<FileError> remove(const std::string& path) override;
};

}  // namespace trainyard
