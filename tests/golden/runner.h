#pragma once

#include <filesystem>
#include <string>

namespace trainyard::golden {

/// Runs the case in `directory` and compares; returns what is wrong, empty when nothing is. With
/// `update`, writes what was seen into the case's directory first.
std::string run_case(const std::filesystem::path& program, const std::filesystem::path& directory,
                     const std::filesystem::path& repository, bool update);

}  // namespace trainyard::golden
