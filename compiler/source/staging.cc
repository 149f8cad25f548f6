#include "source/staging.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "source/characters.h"

namespace trainyard {
namespace {

constexpr std::string_view kBegin = ".trainyard-";
constexpr std::string_view kEnd = ".tmp";
constexpr std::size_t kFewFiles = 16;
constexpr int kMostNames = 10000;  // of one process, in one folder

Descriptor open_directory(int parent, const std::string& name) {
  return Descriptor(
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Only plain files, which is all that a run puts there.
void empty(const Descriptor& directory) {
  for (const std::string& name : list_all(directory).names) {
    ::unlinkat(directory.get(), name.c_str(), 0);
  }
}

std::string new_name(std::size_t item) {
  return "new-" + std::to_string(item);
}

}  // namespace

bool is_staging_name(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
  if (name.size() <= kBegin.size() + kEnd.size()) return false;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  return std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '-'; });
}

void Staging::sweep(const Descriptor& folder) {
  for (std::string name : list_all(folder).names) {
    if (name.ends_with('/')) name.pop_back();
    if (!is_staging_name(name)) continue;
    const Descriptor left = open_directory(folder.get(), name);
    if (!left.is_open() || ::flock(left.get(), LOCK_EX | LOCK_NB) != 0) continue;
    empty(left);
    ::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);
  }
}

Staging::~Staging() {
  while (!done_.empty()) {
    undo(done_.back());
    done_.pop_back();
  }
  if (!directory_.is_open()) return;
  files_.clear();
  empty(directory_);
  ::unlinkat(folder_.get(), name_.c_str(), AT_REMOVEDIR);
}

std::optional<FileError> Staging::begin() {
  for (int number = 0; number < kMostNames; ++number) {
    name_ = std::string(kBegin) + std::to_string(::getpid()) + "-" + std::to_string(number) +
            std::string(kEnd);
    if (::mkdirat(folder_.get(), name_.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return error_from(errno);
    }
    Descriptor made = open_directory(folder_.get(), name_);
    // Until it is locked, another run may take it for one that was left, and remove it.
    const bool is_locked_by_other =
        made.is_open() && ::flock(made.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat info = {};
    const bool is_there = made.is_open() && ::fstat(made.get(), &info) == 0 && info.st_nlink != 0;
    if (is_locked_by_other || !is_there) continue;
    directory_ = std::move(made);
    return std::nullopt;
  }
  return error_from(EEXIST);
}

std::optional<FileError> Staging::stage(std::string_view text, mode_t mode) {
  const std::string name = new_name(staged_);
  Descriptor file(::openat(directory_.get(), name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) return error_from(errno);
  if (mode != 0 && ::fchmod(file.get(), mode) != 0) return error_from(errno);
  if (auto error = write_all(file, text)) return error;
  ++staged_;
  if (staged_ <= kFewFiles) {
    files_.push_back(std::move(file));
  } else if (!file.close()) {
    return error_from(errno);
  }
  return std::nullopt;
}

std::optional<FileError> Staging::sync() {
  // One call for many files: each by itself would wait for the disk again.
  if (staged_ > kFewFiles && ::syncfs(directory_.get()) != 0) return error_from(errno);
  for (Descriptor& file : files_) {
    if (staged_ <= kFewFiles && ::fsync(file.get()) != 0) return error_from(errno);
    if (!file.close()) return error_from(errno);
  }
  files_.clear();
  return std::nullopt;
}

std::optional<FileError> Staging::place(std::size_t item, int folder, const std::string& name) {
  const std::string staged = new_name(item);
  const auto rename = [&](unsigned flags) {
    return ::renameat2(directory_.get(), staged.c_str(), folder, name.c_str(), flags) == 0;
  };
  if (rename(RENAME_EXCHANGE)) {
    done_.push_back({Step::Exchanged, folder, name, staged});
    return std::nullopt;
  }
  const bool is_new = errno == ENOENT;
  if (rename(RENAME_NOREPLACE)) {
    done_.push_back({Step::Added, folder, name, staged});
    return std::nullopt;
  }
  // Some file systems know neither; then what was there cannot come back.
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return error_from(errno);
  if (!rename(0)) return error_from(errno);
  if (is_new) done_.push_back({Step::Added, folder, name, staged});
  return std::nullopt;
}

std::optional<FileError> Staging::take(int folder, const std::string& name) {
  const std::string staged = "old-" + std::to_string(taken_++);
  if (::renameat(folder, name.c_str(), directory_.get(), staged.c_str()) != 0) {
    return error_from(errno);
  }
  done_.push_back({Step::Taken, folder, name, staged});
  return std::nullopt;
}

void Staging::undo(const Done& done) {
  const int own = directory_.get();
  switch (done.step) {
    case Step::Added:
      ::unlinkat(done.folder, done.name.c_str(), 0);
      return;
    case Step::Exchanged:
      ::renameat2(own, done.staged.c_str(), done.folder, done.name.c_str(), RENAME_EXCHANGE);
      return;
    case Step::Taken:
      ::renameat(own, done.staged.c_str(), done.folder, done.name.c_str());
      return;
  }
}

}  // namespace trainyard
