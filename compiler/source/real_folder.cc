#include "source/real_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace trainyard {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kMostWaits = 600;        // of 50 ms each
constexpr std::size_t kMostOpen = 32;  // folders below, while files are read

FileError not_a_file(mode_t mode) {
  return {FileError::Reason::NotAFile,
          S_ISLNK(mode) ? "is a symbolic link" : "is not a plain file"};
}

/// Raises the limit of open files as far as the system lets the process: a change keeps all folders
/// open that it is about.
void open_more_files() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Without the slashes at its end, behind which a link would be followed.
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

FileError open_error(int parent, const std::string& name) {
  const int code = errno;
  struct stat info = {};
  const bool link =
      ::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
  return link ? not_a_file(info.st_mode) : error_from(code);
}

}  // namespace

OpenedFolder RealFolder::open(const std::string& given, FolderUse use, bool sweep) {
  const std::string path = without_slashes(given);
  auto folder = std::make_unique<RealFolder>();
  if (use == FolderUse::Write) {
    if (auto error = folder->make(path)) return {nullptr, std::move(error)};
  }
  folder->directory_ = Descriptor(::open(path.c_str(), kFolderFlags));
  if (!folder->directory_.is_open()) return {nullptr, open_error(AT_FDCWD, path)};
  if (use == FolderUse::Read) return {std::move(folder), std::nullopt};
  if (auto error = folder->lock()) return {nullptr, std::move(error)};
  if (sweep) Staging::sweep(folder->directory_);
  return {std::move(folder), std::nullopt};
}

/// Directories that were made for nothing go again; one that has something in it stays.
RealFolder::~RealFolder() {
  remove_made();
}

std::optional<FileError> RealFolder::make(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0777) == 0) {
      made_.push_back(part);
    } else if (errno != EEXIST) {
      struct stat info = {};
      const int code = errno;  // a read-only file system says so before it looks
      const bool is_there = ::stat(part.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
      if (!is_there) return error_from(code);
    }
    if (slash == std::string::npos) return std::nullopt;
  }
}

/// Not for ever: a run that was stopped with Ctrl-Z would stop all others.
std::optional<FileError> RealFolder::lock() {
  for (int wait = 0; ::flock(directory_.get(), LOCK_EX | LOCK_NB) != 0; ++wait) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return std::nullopt;  // this file system has no locks
    if (wait == kMostWaits) return error_from(EWOULDBLOCK);
    ::usleep(50'000);
  }
  return std::nullopt;
}

RealFolder::Place RealFolder::find(const std::string& name, bool make) {
  Place place{directory_.get(), name, std::nullopt};
  if (!stays_below(name)) {
    place.error = {FileError::Reason::Other, "the name leads out of the directory"};
    return place;
  }
  for (std::size_t begin = 0, slash = name.find('/'); slash != std::string::npos;
       begin = slash + 1, slash = name.find('/', begin)) {
    const std::string part = name.substr(begin, slash - begin);
    const std::string whole = name.substr(0, slash);
    const auto known = std::ranges::find(below_names_, whole);
    if (known != below_names_.end()) {
      place.folder = below_[static_cast<std::size_t>(known - below_names_.begin())].get();
      continue;
    }
    if (make && ::mkdirat(place.folder, part.c_str(), 0777) == 0) {
      new_folders_.push_back({place.folder, part});
    }
    if (below_.size() == kMostOpen) open_more_files();
    Descriptor next(::openat(place.folder, part.c_str(), kFolderFlags));
    if (!next.is_open()) {
      place.error = open_error(place.folder, part);
      return place;
    }
    place.folder = next.get();
    below_.push_back(std::move(next));
    below_names_.push_back(whole);
  }
  place.name = name.substr(name.rfind('/') + 1);
  return place;
}

void RealFolder::close_below() {
  below_.clear();
  below_names_.clear();
}

FileRead RealFolder::read(const std::string& name, std::size_t limit) {
  if (below_.size() > kMostOpen) close_below();
  const Place place = find(name, false);
  if (place.error) return {{}, place.error};
  // A pipe without a writer is opened at once, and then refused.
  const Descriptor file(::openat(place.folder, place.name.c_str(),
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open()) return {{}, open_error(place.folder, place.name)};
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return {{}, error_from(errno)};
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return {{}, not_a_file(info.st_mode)};
  return read_all(file, limit);
}

std::optional<FailedChange> RealFolder::stage(const FileChange& change, Staging& staging) {
  const auto failed = [&change](FileError error) {
    return FailedChange{change.name, std::move(error)};
  };
  const Place place = find(change.name, change.text.has_value());
  if (place.error) return failed(*place.error);
  struct stat info = {};
  const bool is_there =
      ::fstatat(place.folder, place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && S_ISDIR(info.st_mode)) return failed(error_from(EISDIR));
  if (is_there && !S_ISREG(info.st_mode)) return failed(not_a_file(info.st_mode));
  if (!change.text) return std::nullopt;
  const mode_t mode = is_there ? info.st_mode & 07777 : 0;
  std::string room;
  if (auto error = staging.stage(change.text->read(room), mode)) return failed(*error);
  return std::nullopt;
}

/// Removals come last: a reader of the list finds every file that it names, at any time.
std::optional<FailedChange> RealFolder::settle(std::span<const FileChange> changes,
                                               Staging& staging) {
  std::size_t item = 0;
  for (const bool adds : {true, false}) {
    for (const FileChange& change : changes) {
      if (change.text.has_value() != adds) continue;
      const Place place = find(change.name, false);
      if (place.error) return FailedChange{change.name, *place.error};
      const auto error = adds ? staging.place(item++, place.folder, place.name)
                              : staging.take(place.folder, place.name);
      if (error) return FailedChange{change.name, *error};
    }
  }
  return std::nullopt;
}

std::optional<FailedChange> RealFolder::change(std::span<const FileChange> changes) {
  if (changes.empty()) return std::nullopt;
  const HeldSignals signals;
  std::optional<FailedChange> failed = stage_and_settle(changes, signals);
  if (failed) {
    remove_made();
  } else {
    made_.clear();
    new_folders_.clear();
    for (const Descriptor& each : below_) ::fsync(each.get());
    ::fsync(directory_.get());  // the renames themselves
  }
  close_below();
  return failed;
}

std::optional<FailedChange> RealFolder::stage_and_settle(std::span<const FileChange> changes,
                                                         const HeldSignals& signals) {
  Staging staging(directory_);
  if (auto error = staging.begin()) return FailedChange{"", *error};
  for (const FileChange& change : changes) {
    if (signals.any()) return FailedChange{"", error_from(EINTR)};
    if (auto failed = stage(change, staging)) return failed;
  }
  if (auto error = staging.sync()) return FailedChange{"", *error};
  if (signals.any()) return FailedChange{"", error_from(EINTR)};
  if (auto failed = settle(changes, staging)) return failed;
  staging.keep();
  return std::nullopt;
}

void RealFolder::remove_made() {
  for (auto each = new_folders_.rbegin(); each != new_folders_.rend(); ++each) {
    ::unlinkat(each->parent, each->name.c_str(), AT_REMOVEDIR);
  }
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) ::rmdir(path->c_str());
  new_folders_.clear();
  made_.clear();
}

}  // namespace trainyard
