#include "source/sha256.h"

#include <algorithm>
#include <cstring>

#include "source/sha256_blocks.h"
#include "source/sha256_rounds.h"

namespace trainyard {

const std::uint32_t kSha256Rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {

/// Big-endian; in one piece, for which compilers know an instruction.
std::uint32_t word_at(const char* bytes) {
  const auto byte = [bytes](int i) { return std::uint32_t{static_cast<std::uint8_t>(bytes[i])}; };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

template <class Number>
std::array<char, sizeof(Number)> big_endian(Number number) {
  std::array<char, sizeof(Number)> bytes{};
  for (std::size_t i = sizeof(Number); i-- > 0; number >>= 8) {
    bytes[i] = static_cast<char>(number & 0xFF);
  }
  return bytes;
}

/// Four words, which compilers put into one register.
using Four = std::uint32_t __attribute__((vector_size(16)));
using Two = std::uint64_t __attribute__((vector_size(16)));

Four four_at(const std::uint32_t* words) {
  Four four;
  std::memcpy(&four, words, sizeof four);
  return four;
}

Four small_sigma0(Four x) {
  return (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ x >> 3;
}

/// Of two words that stand twice each: a shift of such a pair is a rotation. Lanes 0 and 2 have the
/// results.
Four small_sigma1(Four twice) {
  const Two wide = reinterpret_cast<Two>(twice);
  return reinterpret_cast<Four>(wide >> 17 ^ wide >> 19) ^ twice >> 10;
}

/// The words of a block as the rounds take them, each with the constant of its round.
struct Schedule {
  alignas(16) std::uint32_t words[64];
  alignas(16) std::uint32_t sums[64];

  explicit Schedule(const char* block) {
    for (std::size_t i = 0; i < 16; ++i) words[i] = word_at(block + 4 * i);
    for (std::size_t i = 0; i < 16; i += 4) add_constants(i);
    for (std::size_t i = 16; i < 64; i += 4) extend(i);
  }

 private:
  void extend(std::size_t i) {
    const Four before = four_at(words + i - 4);
    Four next =
        four_at(words + i - 16) + small_sigma0(four_at(words + i - 15)) + four_at(words + i - 7);
    // The second two need the first two.
    const Four first = small_sigma1(__builtin_shufflevector(before, before, 2, 2, 3, 3));
    next += __builtin_shufflevector(first, Four{}, 0, 2, 4, 4);
    const Four second = small_sigma1(__builtin_shufflevector(next, next, 0, 0, 1, 1));
    next += __builtin_shufflevector(second, Four{}, 4, 4, 0, 2);
    std::memcpy(words + i, &next, sizeof next);
    add_constants(i);
  }

  void add_constants(std::size_t i) {
    const Four sum = four_at(words + i) + four_at(kSha256Rounds + i);
    std::memcpy(sums + i, &sum, sizeof sum);
  }
};

Sha256Compress fastest_compress() {
  if (const Sha256Compress native = sha256_compress_native()) return native;
  if (const Sha256Compress wide = sha256_compress_wide()) return wide;
  return sha256_compress_plain;
}

}  // namespace

void sha256_compress_plain(std::uint32_t* state, const char* blocks, std::size_t count) {
  for (; count != 0; --count, blocks += kSha256Block) {
    const Schedule schedule(blocks);
    sha256_rounds<4>(state, schedule.sums);
  }
}

void Sha256::compress(const char* blocks, std::size_t count) {
  static const Sha256Compress fastest = fastest_compress();
  fastest(state_.data(), blocks, count);
}

Sha256& Sha256::update(std::string_view bytes) {
  total_ += bytes.size();
  if (bytes.size() < kBlock - pending_size_) {  // nearly all fields of a document are short
    std::copy(bytes.begin(), bytes.end(), pending_.data() + pending_size_);
    pending_size_ += bytes.size();
    return *this;
  }
  while (!bytes.empty()) {
    if (pending_size_ == 0 && bytes.size() >= kBlock) {
      const std::size_t whole = bytes.size() / kBlock;
      compress(bytes.data(), whole);
      bytes.remove_prefix(whole * kBlock);
      continue;
    }
    const std::size_t taken = std::min(kBlock - pending_size_, bytes.size());
    std::memcpy(pending_.data() + pending_size_, bytes.data(), taken);
    bytes.remove_prefix(taken);
    pending_size_ += taken;
    if (pending_size_ < kBlock) break;
    compress(pending_.data(), 1);
    pending_size_ = 0;
  }
  return *this;
}

Sha256& Sha256::update_number(std::uint64_t number) {
  const auto bytes = big_endian(number);
  return update({bytes.data(), bytes.size()});
}

Sha256& Sha256::update_field(std::string_view bytes) {
  const auto size = big_endian(std::uint64_t{bytes.size()});
  if (size.size() + bytes.size() < kBlock - pending_size_) {  // nearly all of them
    char* const to = pending_.data() + pending_size_;
    std::memcpy(to, size.data(), size.size());
    std::copy(bytes.begin(), bytes.end(), to + size.size());
    pending_size_ += size.size() + bytes.size();
    total_ += size.size() + bytes.size();
    return *this;
  }
  return update_number(bytes.size()).update(bytes);
}

Sha256::Digest Sha256::finish() {
  const std::uint64_t bits = 8 * total_;
  static constexpr char kPadding[kBlock] = {'\x80'};
  const std::size_t used = pending_size_ % kBlock;
  update({kPadding, used < 56 ? 56 - used : 120 - used});
  update_number(bits);

  Digest digest{};
  for (std::size_t i = 0; i < state_.size(); ++i) {
    const auto bytes = big_endian(state_[i]);
    std::memcpy(digest.data() + 4 * i, bytes.data(), bytes.size());
  }
  return digest;
}

std::string Sha256::finish_hex() {
  finish();
  return sha256_hex_of_state(state_.data());
}

std::string sha256_hex_of_state(const std::uint32_t* state) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::size_t kDigits = 8;  // of a word
  std::string hex(8 * kDigits, '0');
  for (std::size_t i = 0; i < hex.size(); ++i) {
    hex[i] = kHex[state[i / kDigits] >> (28 - 4 * (i % kDigits)) & 15];
  }
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  return Sha256().update(bytes).finish_hex();
}

}  // namespace trainyard
