// Where tests find files: in the repository, and among collected upstream files beside it.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace trainyard::testing {

inline std::filesystem::path repository() {
  return TRAINYARD_SOURCE_DIR;
}

/// Collected upstream files: beside the repository, or where TRAINYARD_SHARED says. May not exist.
inline std::filesystem::path shared_folder() {
  const char* given = std::getenv("TRAINYARD_SHARED");
  return given != nullptr ? std::filesystem::path(given) : repository() / ".." / "shared";
}

/// Public conformance suites: among those files, or where TRAINYARD_SUITES says. May not exist.
inline std::filesystem::path suites_folder() {
  const char* given = std::getenv("TRAINYARD_SUITES");
  return given != nullptr && *given != '\0' ? std::filesystem::path(given)
                                            : shared_folder() / "suites";
}

}  // namespace trainyard::testing
