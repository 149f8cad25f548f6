// Where tests find files and programs: in the repository, in the build, and among collected
// upstream files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace trainyard::testing {

std::filesystem::path repository();
std::filesystem::path build_folder();

/// Go and Python as the build found them; empty where it found none.
std::string go_program();
std::string python_program();

/// Collected upstream files: where TRAINYARD_SHARED says, else in the user's cache. May not exist.
std::filesystem::path shared_folder();

/// Why a test skips that wants collected definitions at this place of the folder, where they are
/// not.
std::string missing_definitions(const std::filesystem::path& wanted);

/// A public conformance suite, in `suites/` of that folder.
struct Suite {
  std::filesystem::path folder;
  std::string missing;  // where it is not there: the command that gets it
};
/// `name` is one of the table in folders.cc.
Suite public_suite(std::string_view name);

}  // namespace trainyard::testing
