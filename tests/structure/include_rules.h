#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::structure {

using Names = std::set<std::string, std::less<>>;

/// Folder of compiler/ -> the folders that it may include, itself among them.
using Folders = std::map<std::string, Names, std::less<>>;

/// Reads the `trainyard_folder(x SEES a b USES c)` calls. Appends to `wrong` what cannot be: a
/// folder declared twice, or one that sees a folder not declared above it.
Folders parse_folders(std::string_view cmake, std::vector<std::string>& wrong);

struct Include {
  std::string path;  // without quotes or brackets
  bool quoted;
  int line;
};

std::vector<Include> includes_of(std::string_view source);

/// What may be included where, beyond the folders.
struct Rules {
  Folders folders;
  std::map<std::string, Names, std::less<>> libraries;  // "yaml-cpp/" -> folders
  Names refused;                                        // "iostream"
  std::map<std::string, std::string> excused;           // "cli/a.cc: chrono" -> reason
};

/// What is wrong with the includes of `file`, a path below compiler/, as "file:line: ...". Excuses
/// that were needed are added to `used`.
std::vector<std::string> check_file(std::string_view file, std::string_view source,
                                    const Rules& rules, Names& used);

}  // namespace trainyard::structure
