#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trainyard {

/// The word without capitals, `-` and `_`: how people spell it says nothing.
std::string folded(std::string_view word);

/// The candidate that `typo` most likely meant: case, `-` and `_` aside the same, or within a third
/// of its length in edits (insert, delete, replace, swap of neighbours). Nothing when none is near
/// enough, and among over 1,500; of equally near ones the first. Before all of these, the one
/// candidate whose last words the typo lacks (`gpus` of `gpusPerNode`).
std::optional<std::string_view> suggest(std::string_view typo,
                                        std::span<const std::string_view> candidates);

/// What a message says of a name that is not known: `did you mean `x`?`, or `did you mean one of
/// `a` or `b`?` of those that have it as a part. "" without a guess.
std::string guess(std::string_view typo, std::span<const std::string_view> candidates);

/// The one candidate that has the typo as a part (`aws-efa` of
/// `efa`, `a3-megagpu-8g` of `a3-mega`); else as `suggest`.
std::optional<std::string_view> suggest_whole(std::string_view typo,
                                              std::span<const std::string_view> candidates);

}  // namespace trainyard
