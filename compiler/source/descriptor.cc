#include "source/descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace trainyard {
namespace {

/// Asks the system for large pages where `text` has room for whole ones: to touch a page for the
/// first time costs as much as to write half of it. Where there are none it is as before.
void ask_for_large_pages(std::string& text) {
  constexpr std::uintptr_t kLargePage = 2 * 1024 * 1024;
  const auto begin = reinterpret_cast<std::uintptr_t>(text.data());
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = (begin + text.capacity()) / kLargePage * kLargePage;
  if (first < end) ::madvise(text.data() + (first - begin), end - first, MADV_HUGEPAGE);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Whether an entry is a directory or leads to one. A link to nothing is an entry like any other.
std::optional<FileError> look_at(int directory, const dirent& entry, bool& is_directory) {
  is_directory = entry.d_type == DT_DIR;
  if (entry.d_type != DT_UNKNOWN && entry.d_type != DT_LNK) return std::nullopt;
  struct stat info = {};
  if (::fstatat(directory, entry.d_name, &info, 0) == 0) {
    is_directory = S_ISDIR(info.st_mode);
    return std::nullopt;
  }
  if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR) return std::nullopt;
  FileError error = error_from(errno);
  error.message = "`" + std::string(entry.d_name) + "` in it: " + error.message;
  return error;
}

bool is_link(int directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_LNK;
  struct stat info = {};
  return ::fstatat(directory, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(info.st_mode);
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Descriptor::~Descriptor() {
  close();
}

int Descriptor::release() {
  return std::exchange(fd_, -1);
}

bool Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 || ::close(fd) == 0;
}

FileError too_large(std::size_t limit) {
  return {FileError::Reason::TooLarge, "is larger than " + std::to_string(limit) + " bytes"};
}

FileRead read_all(const Descriptor& file, std::size_t limit) {
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return {{}, error_from(errno)};
  if (S_ISDIR(info.st_mode)) return {{}, error_from(EISDIR)};
  const auto known_size = static_cast<std::size_t>(std::max<off_t>(info.st_size, 0));
  if (S_ISREG(info.st_mode) && known_size > limit) return {{}, too_large(limit)};

  // Read to the end rather than to the size: pipes have none, and files can grow. One that has
  // would fill the one byte more, so a file that gives its size exactly is at its end.
  FileRead result;
  std::size_t used = 0;
  const std::size_t whole = S_ISREG(info.st_mode) ? known_size : 0;
  const std::size_t room = S_ISREG(info.st_mode) ? known_size + 1 : 64 * 1024;
  result.text.reserve(room);
  ask_for_large_pages(result.text);
  result.text.resize(room);
  while (true) {
    const ssize_t count = ::read(file.get(), result.text.data() + used, result.text.size() - used);
    if (count < 0) {
      if (errno == EINTR) continue;
      return {{}, error_from(errno)};
    }
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > limit) return {{}, too_large(limit)};
    if (used == whole) break;
    if (used == result.text.size()) result.text.resize(used * 2);
  }
  result.text.resize(used);
  return result;
}

std::optional<FileError> write_all(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return error_from(errno);
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

Listing list_all(const Descriptor& directory) {
  Listing result;
  // A descriptor of its own: this one may be listed again.
  Descriptor own(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own.is_open()) return {{}, {}, error_from(errno)};
  const std::unique_ptr<DIR, CloseDirectory> open(::fdopendir(own.get()));
  if (open == nullptr) return {{}, {}, error_from(errno)};
  const int fd = own.release();
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr && errno != 0) result.error = error_from(errno);
    if (entry == nullptr || result.error) break;
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    bool is_directory = false;
    result.error = look_at(fd, *entry, is_directory);
    result.names.push_back(std::string(name) + (is_directory ? "/" : ""));
    if (is_link(fd, *entry)) result.links.push_back(result.names.back());
  }
  std::ranges::sort(result.names);
  std::ranges::sort(result.links);
  return result;
}

}  // namespace trainyard
