#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The SHA-256 of each text, as 64 characters. A processor with AVX2 and without instructions for
/// SHA-256 takes eight texts at a time, in a quarter of the instructions.
std::vector<std::string> sha256_hex_of_each(std::span<const std::string_view> texts);

/// The same by AVX2 where the processor has that, whatever else it has.
std::vector<std::string> sha256_hex_by_lanes(std::span<const std::string_view> texts);

}  // namespace trainyard
