#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace trainyard::golden {

using Names = std::set<std::string, std::less<>>;

/// The words in brackets of a text, `[unknown-field]`, that may be names of kinds.
Names bracketed(std::string_view text);

/// What is wrong with the kinds that cases show and with the list of those that none does: lines of
/// the form "- `kind-name`: reason". Empty when nothing is.
std::string check_coverage(const Names& kinds, const Names& shown, std::string_view uncovered);

/// The same for golden/: the kinds of the compiler, its cases' stdout and stderr, UNCOVERED.md.
std::string check_coverage(const std::filesystem::path& golden);

}  // namespace trainyard::golden
