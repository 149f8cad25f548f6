#pragma once

#include <cstddef>
#include <cstdint>

namespace trainyard {

inline constexpr std::size_t kSha256Block = 64;  // bytes

/// The round constants of FIPS 180-4.
extern const std::uint32_t kSha256Rounds[64];

/// Takes whole blocks into the eight words of the state.
using Sha256Compress = void (*)(std::uint32_t* state, const char* blocks, std::size_t count);

/// In C++ alone.
void sha256_compress_plain(std::uint32_t* state, const char* blocks, std::size_t count);

// The result of the others is the same.

/// With the processor's own instructions for SHA-256; null where it has none.
Sha256Compress sha256_compress_native();

/// Two blocks at a time, with vectors of 256 bits; null where the processor has none.
Sha256Compress sha256_compress_wide();

}  // namespace trainyard
