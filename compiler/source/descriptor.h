#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "source/folder.h"

namespace trainyard {

/// An open file of the system; closed at its end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// False when some of what was written is lost.
  bool close();
  /// Gives it to a new owner, who closes it.
  int release();

 private:
  int fd_;
};

FileError too_large(std::size_t limit);
/// All that is left in a file, a pipe or a device; IsDirectory for a directory.
FileRead read_all(const Descriptor& file, std::size_t limit);
std::optional<FileError> write_all(const Descriptor& file, std::string_view text);

/// The entries of an open directory but `.` and `..`.
Listing list_all(const Descriptor& directory);

}  // namespace trainyard
