#include "driver/build/run_sources.h"

#include <algorithm>
#include <filesystem>

#include "driver/session/read_root.h"
#include "emit/ownership.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// The real path of what is there, and below it what is not there yet.
std::string planned_path(FileSystem& files, const std::string& path) {
  fs::path there = path;
  fs::path missing;
  while (true) {
    const std::string asked = there.empty() ? "." : there.string();
    if (const auto real = files.real_path(asked)) {
      return (fs::path(*real) / missing).lexically_normal().string();
    }
    if (there.empty() || there == there.parent_path()) return path;
    missing = there.filename() / missing;
    there = there.parent_path();
  }
}

}  // namespace

SourceNames::SourceNames(FileSystem& files, const std::string& output_directory)
    : files_(files), base_(planned_path(files, output_directory)) {
  while (base_.size() > 1 && base_.ends_with('/')) base_.pop_back();
}

std::string SourceNames::real_folder(const std::string& folder) {
  const auto known = real_.find(folder);
  if (known != real_.end()) return known->second;
  std::string real = files_.real_path(folder.empty() ? "." : folder).value_or(folder);
  if (!real.ends_with('/')) real += '/';
  return real_.emplace(folder, std::move(real)).first->second;
}

std::string SourceNames::absolute(const std::string& path) {
  const std::string folder = folder_of(path);
  return real_folder(folder) + path.substr(folder.size());
}

/// What is no file, such as `/dev/fd/63`, is another thing in the next run.
std::string SourceNames::name(const std::string& path) {
  const bool is_stream = path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
  if (is_stream) return std::string(kStreamSource);
  return fs::path(absolute(path)).lexically_relative(base_).generic_string();
}

std::string SourceNames::resolve(std::string_view source) const {
  return (fs::path(base_) / source).lexically_normal().string();
}

RunSources::RunSources(FileSystem& files, const std::string& output_directory,
                       const std::vector<std::string>& inputs)
    : names_(files, output_directory) {
  for (const std::string& input : inputs) {
    if (input == "-") {
      made_from_.insert(std::string(kStreamSource));
    } else if (files.is_directory(input)) {
      std::string folder = files.real_path(input).value_or(input);
      folders_.push_back(folder.ends_with('/') ? folder : folder + '/');
    } else {
      files_.insert(names_.absolute(input));
    }
  }
}

bool RunSources::have(const std::string& source) const {
  if (made_from_.contains(source) || source == kDirectorySource) return true;
  if (source == kStreamSource) return false;
  const std::string path = names_.resolve(source);
  return files_.contains(path) || std::ranges::any_of(folders_, [&path](const std::string& each) {
           return path.starts_with(each);
         });
}

}  // namespace trainyard
