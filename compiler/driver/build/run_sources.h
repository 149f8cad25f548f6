#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/file_system.h"

namespace trainyard {

/// Names sources from an output directory, as ownership.h says, whatever they were called by.
class SourceNames {
 public:
  /// The directory need not be there yet.
  SourceNames(FileSystem& files, const std::string& output_directory);

  /// The source of a file that was read from `path`.
  std::string name(const std::string& path);
  /// The absolute path of an input.
  std::string absolute(const std::string& path);
  /// That of a recorded source.
  std::string resolve(std::string_view source) const;

 private:
  std::string real_folder(const std::string& folder);

  FileSystem& files_;
  std::map<std::string, std::string, std::less<>> real_;  // by folder as it was called
  std::string base_;
};

/// What one run is given to make files from.
class RunSources {
 public:
  RunSources(FileSystem& files, const std::string& output_directory,
             const std::vector<std::string>& inputs);

  /// A source that this run has made a file from, for one that is reached through a link.
  void add(const std::string& source) { made_from_.insert(source); }
  /// Whether a recorded source lies within the inputs. It need not be there any more.
  bool have(const std::string& source) const;

 private:
  SourceNames names_;
  std::set<std::string, std::less<>> files_;  // absolute
  std::vector<std::string> folders_;          // absolute, with `/` at the end
  std::set<std::string, std::less<>> made_from_;
};

}  // namespace trainyard
