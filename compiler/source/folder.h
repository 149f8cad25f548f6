#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source/file_error.h"
#include "source/spool.h"

namespace trainyard {

struct FileRead {
  std::string text;
  std::optional<FileError> error;
};

/// Names (not paths) of a directory's entries, sorted by byte value; directories end in '/'.
struct Listing {
  std::vector<std::string> names;
  std::vector<std::string> links;  // those of them that are symbolic links
  std::optional<FileError> error;  // then the names are not all

  bool is_link(const std::string& name) const;
};

/// The text of a file that is to be written: in memory, or in a spool until then. Its owner
/// must outlive this.
class FileText {
 public:
  template <std::convertible_to<std::string_view> Text>
  FileText(const Text& text) : text_(text) {}
  FileText(const Spool& spool, Spool::Piece piece) : spool_(&spool), piece_(piece) {}

  /// The text; `room` holds one that comes from a spool.
  std::string_view read(std::string& room) const {
    if (spool_ == nullptr) return text_;
    room = spool_->text(piece_);
    return room;
  }

 private:
  std::string_view text_;
  const Spool* spool_ = nullptr;
  Spool::Piece piece_;
};

/// A file of a folder as it is to be. `name` is a path below the folder.
struct FileChange {
  std::string name;
  std::optional<FileText> text;  // nothing to remove the file
};

/// Which file was in the way of a change; `name` is "" for the folder itself.
struct FailedChange {
  std::string name;
  FileError error;
};

/// A directory held open: what is read and written is in this directory, whatever becomes of its
/// path meanwhile. Links in it are never followed.
class Folder {
 public:
  virtual ~Folder() = default;

  virtual Listing list() = 0;
  /// As FileSystem::read; NotAFile where there is anything but a plain file.
  virtual FileRead read(const std::string& name, std::size_t limit) = 0;
  /// Makes all these changes, or none. New texts are staged in the folder first, in a directory
  /// `.trainyard-*.tmp`, and then renamed, so a reader sees the old file or the new one. Keeps the
  /// permissions of files that are there.
  virtual std::optional<FailedChange> change(std::span<const FileChange> changes) = 0;
};

enum class FolderUse {
  Read,
  Write,  // makes the directory; one process at a time may have it open so
};

struct OpenedFolder {
  std::unique_ptr<Folder> folder;  // null when there is an error
  std::optional<FileError> error;
};

/// Whether a path stays below the folder that it is in: no part of it is empty, `.` or `..`.
bool stays_below(std::string_view path);

}  // namespace trainyard
