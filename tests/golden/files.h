#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "file_text.h"

namespace trainyard::golden {

/// Path below a directory -> bytes; sorted.
using Files = std::map<std::string, std::string>;

using testing::read_file;

void write_file(const std::filesystem::path& path, std::string_view text);
/// Every regular file below `directory`; nothing when it does not exist.
Files read_tree(const std::filesystem::path& directory);
void write_tree(const std::filesystem::path& directory, const Files& files);

/// A directory of its own, removed in the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What differs, as `-` and `+` lines around the first difference; empty when nothing does.
std::string difference(std::string_view expected, std::string_view actual);
/// The same for every file that differs, is missing or is not expected, under `title`.
std::string difference(std::string_view title, const Files& expected, const Files& actual);

}  // namespace trainyard::golden
