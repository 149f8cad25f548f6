#pragma once

#include <filesystem>
#include <string>

namespace trainyard::golden {

/// What is wrong with the first lines of the cases' `args`, a line each; empty when all is in
/// order. A first line is a comment that says what a reviewer should look at: `# A sentence.`, of
/// at most 120 characters, in no other case. Every word that it has in backticks stands in the
/// case's command lines, or in one of its other files.
std::string check_first_lines(const std::filesystem::path& golden);

}  // namespace trainyard::golden
