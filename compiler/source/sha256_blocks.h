#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace trainyard {

inline constexpr std::size_t kSha256Block = 64;  // bytes

/// The words of a state before the first block, and the round constants (FIPS 180-4).
inline constexpr std::uint32_t kSha256Start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
extern const std::uint32_t kSha256Rounds[64];

/// 64 characters, lower case.
std::string sha256_hex_of_state(const std::uint32_t* state);

/// Takes whole blocks into the eight words of the state.
using Sha256Compress = void (*)(std::uint32_t* state, const char* blocks, std::size_t count);

/// In C++ alone.
void sha256_compress_plain(std::uint32_t* state, const char* blocks, std::size_t count);

// The result of the others is the same.

/// With the processor's own instructions for SHA-256; null where it has none.
Sha256Compress sha256_compress_native();

/// Two blocks at a time, with vectors of 256 bits; null where the processor has none.
Sha256Compress sha256_compress_wide();

inline constexpr std::size_t kSha256Lanes = 8;

/// The states of several texts: each word of all of them side by side.
struct Sha256States {
  alignas(32) std::uint32_t words[8][kSha256Lanes];
};

/// Takes one whole block of each text.
using Sha256CompressLanes = void (*)(Sha256States& states, const char* const* blocks);

/// Null where the processor has no vectors of 256 bits.
Sha256CompressLanes sha256_compress_lanes();

}  // namespace trainyard
