#pragma once

#include <filesystem>
#include <string>

namespace trainyard::golden {

/// What is wrong with the folders of golden/, a line each; empty when all is in order. A folder
/// holds at least two cases or folders, a case lies two or three levels deep, and every other file
/// is a page of golden/ itself.
std::string check_layout(const std::filesystem::path& golden);

}  // namespace trainyard::golden
