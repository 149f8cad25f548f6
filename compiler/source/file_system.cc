#include "source/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "source/large_pages.h"

namespace trainyard {
namespace {

FileError error_from(int code) {
  FileError error;
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      error.reason = FileError::Reason::NotFound;
      break;
    case EISDIR:
      error.reason = FileError::Reason::IsDirectory;
      break;
    case EACCES:
    case EPERM:
      error.reason = FileError::Reason::NotPermitted;
      break;
    default:
      error.reason = FileError::Reason::Other;
  }
  // Fixed words, because the C library's depend on the locale.
  switch (code) {
    case ENOENT:
      error.message = "no such file or directory";
      break;
    case ENOTDIR:
      error.message = "a part of the path is not a directory";
      break;
    case EISDIR:
      error.message = "is a directory";
      break;
    case EACCES:
    case EPERM:
      error.message = "permission denied";
      break;
    case ENOSPC:
      error.message = "no space left on the device";
      break;
    case EROFS:
      error.message = "the file system is read-only";
      break;
    case ENAMETOOLONG:
      error.message = "the file name is too long";
      break;
    case ELOOP:
      error.message = "too many symbolic links";
      break;
    case EIO:
      error.message = "input/output error";
      break;
    default:
      error.message = "system error " + std::to_string(code);
  }
  return error;
}

FileError too_large(std::size_t limit) {
  return {FileError::Reason::TooLarge, "is larger than " + std::to_string(limit) + " bytes"};
}

/// Why something that is no regular file is not read.
FileError not_regular(mode_t mode) {
  std::string_view what = "a device";
  if (S_ISFIFO(mode)) what = "a FIFO";
  if (S_ISSOCK(mode)) what = "a socket";
  return {FileError::Reason::NotRegular, "is " + std::string(what) + ", not a regular file"};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::optional<FileError> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return error_from(errno);
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

/// Those of the file that is there; else those of any other new file.
mode_t permissions_for(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) return info.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::vector<std::string> FileSystem::list(const std::string& path) {
  std::vector<std::string> names;
  for (DirectoryEntry& entry : entries(path)) {
    names.push_back(std::move(entry.name));
    if (entry.is_directory) names.back() += '/';
  }
  std::sort(names.begin(), names.end());
  return names;
}

FileRead RealFileSystem::read(const std::string& path, std::size_t limit, Accept accept) {
  // A FIFO without a writer would block `open`.
  const int waits = accept == Accept::Stream ? 0 : O_NONBLOCK | O_NOCTTY;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | waits));
  if (file.get() < 0) return {{}, error_from(errno)};
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return {{}, error_from(errno)};
  if (S_ISDIR(info.st_mode)) return {{}, error_from(EISDIR)};
  if (!S_ISREG(info.st_mode) && accept == Accept::RegularFile) {
    return {{}, not_regular(info.st_mode)};
  }
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

bool RealFileSystem::is_directory(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool RealFileSystem::exists(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0;
}

std::vector<DirectoryEntry> RealFileSystem::entries(const std::string& path) {
  std::vector<DirectoryEntry> result;
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  if (directory == nullptr) return result;
  while (const dirent* found = ::readdir(directory.get())) {
    const std::string_view name(found->d_name);
    if (name == "." || name == "..") continue;
    DirectoryEntry entry{std::string(name), found->d_type == DT_DIR, found->d_type == DT_LNK};
    const std::string whole = path + '/' + entry.name;
    if (found->d_type == DT_UNKNOWN) {  // by a file system that does not say it
      struct stat info = {};
      entry.is_link = ::lstat(whole.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
      entry.is_directory = is_directory(whole);
    } else if (entry.is_link) {
      entry.is_directory = is_directory(whole);
    }
    result.push_back(std::move(entry));
  }
  std::ranges::sort(result, {}, &DirectoryEntry::name);
  return result;
}

std::optional<std::string> RealFileSystem::real_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  if (failed) return std::nullopt;
  return real.string();
}

std::optional<FileError> RealFileSystem::write(const std::string& path, std::string_view text) {
  // Beside the file itself: the new one would otherwise take the place of a link to it.
  const std::string target = real_path(path).value_or(path);
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  if (!folder.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) return error_from(failed.value());
  }
  std::string temporary = target + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) return error_from(errno);

  // mkstemp makes the file private.
  std::optional<FileError> error;
  if (::fchmod(file.get(), permissions_for(target)) != 0) error = error_from(errno);
  if (!error) error = write_all(file.get(), text);
  if (!file.close() && !error) error = error_from(errno);
  if (!error && ::rename(temporary.c_str(), target.c_str()) != 0) error = error_from(errno);
  if (error) ::unlink(temporary.c_str());
  return error;
}

std::optional<FileError> RealFileSystem::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0) return error_from(errno);
  return std::nullopt;
}

std::string MemoryFileSystem::key_of(const std::string& path) const {
  if (files.contains(path)) return path;
  const std::string plain = std::filesystem::path("/" + path).lexically_normal().string();
  for (const std::string& key : {plain.substr(1), plain}) {
    const std::string below = key.empty() || key.ends_with('/') ? key : key + '/';
    const auto after = files.lower_bound(below);
    const bool is_folder = after != files.end() && after->first.starts_with(below);
    if (files.contains(key) || is_folder) return key;
  }
  return path;
}

FileRead MemoryFileSystem::read(const std::string& path, std::size_t limit, Accept) {
  const auto found = files.find(key_of(path));
  if (found == files.end()) return {{}, error_from(is_directory(path) ? EISDIR : ENOENT)};
  if (found->second.size() > limit) return {{}, too_large(limit)};
  return {found->second, std::nullopt};
}

bool MemoryFileSystem::is_directory(const std::string& path) {
  if (path.empty()) return false;
  const std::string key = key_of(path);
  const std::string prefix = key.empty() || key.ends_with('/') ? key : key + '/';
  const auto after = files.lower_bound(prefix);
  return after != files.end() && after->first.starts_with(prefix);
}

bool MemoryFileSystem::exists(const std::string& path) {
  return files.contains(key_of(path)) || is_directory(path);
}

std::vector<DirectoryEntry> MemoryFileSystem::entries(const std::string& path) {
  if (path.empty()) return {};
  const std::string key = key_of(path);
  const std::string prefix = key.empty() || key.ends_with('/') ? key : key + '/';
  std::vector<DirectoryEntry> result;
  for (auto it = files.lower_bound(prefix); it != files.end() && it->first.starts_with(prefix);
       ++it) {
    std::string rest = it->first.substr(prefix.size());
    const auto slash = rest.find('/');
    const bool is_folder = slash != std::string::npos;
    if (is_folder) rest.resize(slash);
    const bool is_new = result.empty() || result.back().name != rest;
    if (is_new) result.push_back({std::move(rest), is_folder, false});
  }
  std::ranges::sort(result, {}, &DirectoryEntry::name);
  return result;
}

std::optional<std::string> MemoryFileSystem::real_path(const std::string& path) {
  std::string plain = std::filesystem::path("/" + path).lexically_normal().string();
  if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  if (plain == "/" || exists(path)) return plain;
  return std::nullopt;
}

std::optional<FileError> MemoryFileSystem::write(const std::string& path, std::string_view text) {
  files[path] = std::string(text);
  return std::nullopt;
}

std::optional<FileError> MemoryFileSystem::remove(const std::string& path) {
  if (files.erase(path) == 0) return error_from(ENOENT);
  return std::nullopt;
}

}  // namespace trainyard
