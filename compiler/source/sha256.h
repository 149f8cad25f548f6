#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256& update(std::string_view bytes);

  /// One field of several: its length, eight bytes big-endian, and its bytes. Unlike `update`, this
  /// tells ("ab", "c") from ("a", "bc").
  Sha256& update_field(std::string_view bytes);
  Sha256& update_number(std::uint64_t number);

  /// The digest of all that came in; the object is done with then.
  Digest finish();
  std::string finish_hex();  // 64 characters, lower case

 private:
  static constexpr std::size_t kBlock = 64;

  void compress(const char* blocks, std::size_t count);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, kBlock> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace trainyard
