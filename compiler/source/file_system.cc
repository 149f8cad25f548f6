#include "source/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "source/descriptor.h"
#include "source/real_folder.h"

namespace trainyard {
namespace {

struct FolderAndName {
  std::string folder;
  std::string name;
};

FolderAndName split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// Why something that is no regular file is not read.
FileError not_regular(mode_t mode) {
  std::string_view what = "a device";
  if (S_ISFIFO(mode)) what = "a FIFO";
  if (S_ISSOCK(mode)) what = "a socket";
  return {FileError::Reason::NotAFile, "is " + std::string(what) + ", not a regular file"};
}

/// A folder of files in memory.
class MemoryFolder : public Folder {
 public:
  MemoryFolder(MemoryFileSystem& disk, std::string path) : disk_(disk), path_(std::move(path)) {}

  Listing list() override {
    return disk_.is_directory(path_) ? disk_.list(path_) : Listing{};  // made, and empty
  }
  FileRead read(const std::string& name, std::size_t limit) override {
    return disk_.read(path_ + "/" + name, limit);
  }
  std::optional<FailedChange> change(std::span<const FileChange> changes) override {
    const auto before = disk_.files;
    for (const FileChange& each : changes) {
      const auto error = one(each);
      if (!error) continue;
      disk_.files = before;
      return FailedChange{each.name, *error};
    }
    return std::nullopt;
  }

 private:
  std::optional<FileError> one(const FileChange& change) {
    if (!stays_below(change.name)) {
      return FileError{FileError::Reason::Other, "the name leads out of the directory"};
    }
    const std::string path = path_ + "/" + change.name;
    std::string room;
    if (change.text) return disk_.write(path, std::string(change.text->read(room)));
    if (disk_.files.erase(path) == 0) return error_from(ENOENT);
    return std::nullopt;
  }

  MemoryFileSystem& disk_;
  std::string path_;
};

}  // namespace

FileRead RealFileSystem::read(const std::string& path, std::size_t limit, Accept accept) {
  // A FIFO without a writer would block `open`.
  const int waits = accept == Accept::Stream ? 0 : O_NONBLOCK | O_NOCTTY;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | waits));
  if (!file.is_open()) return {{}, error_from(errno)};
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return {{}, error_from(errno)};
  const bool is_plain = S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);  // of that, reading tells
  if (!is_plain && accept == Accept::RegularFile) return {{}, not_regular(info.st_mode)};
  return read_all(file, limit);
}

bool RealFileSystem::is_directory(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool RealFileSystem::exists(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) return true;
  return error_from(errno).reason == FileError::Reason::Other;  // reading it will tell
}

Listing RealFileSystem::list(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.is_open() ? list_all(directory) : Listing{{}, {}, error_from(errno)};
}

std::optional<std::string> RealFileSystem::real_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  if (failed) return std::nullopt;
  return real.string();
}

OpenedFolder RealFileSystem::open_folder(const std::string& path, FolderUse use) {
  return RealFolder::open(path, use);
}

std::optional<FileError> RealFileSystem::write(const std::string& path, std::string_view text) {
  // Beside the file itself: the new one would otherwise take the place of a link to it.
  FolderAndName place = split(real_path(path).value_or(path));
  place.folder = real_path(place.folder).value_or(place.folder);
  const bool sweep = swept_.insert(place.folder).second;
  const OpenedFolder opened = RealFolder::open(place.folder, FolderUse::Write, sweep);
  if (opened.error) return opened.error;
  const FileChange change{place.name, text};
  const auto failed = opened.folder->change({&change, 1});
  if (failed) return failed->error;
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

Listing MemoryFileSystem::list(const std::string& path) {
  const std::string key = key_of(path);
  const std::string prefix = key.empty() || key.ends_with('/') ? key : key + '/';
  std::vector<std::string> names;
  for (auto it = files.lower_bound(prefix); it != files.end() && it->first.starts_with(prefix);
       ++it) {
    std::string rest = it->first.substr(prefix.size());
    const auto slash = rest.find('/');
    if (slash != std::string::npos) rest.resize(slash + 1);
    if (names.empty() || names.back() != rest) names.push_back(std::move(rest));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return {{}, {}, error_from(ENOENT)};
  return {std::move(names), {}, std::nullopt};
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

OpenedFolder MemoryFileSystem::open_folder(const std::string& path, FolderUse use) {
  if (files.contains(path)) return {nullptr, error_from(ENOTDIR)};
  if (use == FolderUse::Read && !is_directory(path)) return {nullptr, error_from(ENOENT)};
  return {std::make_unique<MemoryFolder>(*this, path), std::nullopt};
}

}  // namespace trainyard
