#include "source/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "source/sha256_blocks.h"

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

using Schedule = std::array<std::uint32_t, 64>;

void message_schedule(const char* block, Schedule& w) {
  for (std::size_t i = 0; i < 16; ++i) w[i] = word_at(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    const std::uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3;
    const std::uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
}

/// Three rotations that are combined, each by so much more than the one before.
std::uint32_t rotated(std::uint32_t x, int first, int second, int third) {
  return std::rotr(std::rotr(std::rotr(x, third) ^ x, second) ^ x, first);
}

struct Round {
  std::uint32_t constant;
  std::uint32_t word;
};

/// One round. The letters move on by one from round to round: the caller renames them instead.
inline void one_round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d,
                      std::uint32_t e, std::uint32_t f, std::uint32_t g, std::uint32_t& h,
                      Round round) {
  const std::uint32_t s1 = rotated(e, 6, 5, 14);  // by 6, 11 and 25
  const std::uint32_t t1 = h + s1 + (g ^ (e & (f ^ g))) + round.constant + round.word;
  const std::uint32_t s0 = rotated(a, 2, 11, 9);  // by 2, 13 and 22
  d += t1;
  h = t1 + s0 + (b ^ ((a ^ b) & (b ^ c)));  // what two of three say; a ^ b comes again as b ^ c
}

void compress_block(std::uint32_t* state, const char* block) {
  Schedule words;
  message_schedule(block, words);
  std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  std::uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (std::size_t i = 0; i < 64; i += 8) {
    const auto at = [&](std::size_t k) { return Round{kSha256Rounds[i + k], words[i + k]}; };
    one_round(a, b, c, d, e, f, g, h, at(0));
    one_round(h, a, b, c, d, e, f, g, at(1));
    one_round(g, h, a, b, c, d, e, f, at(2));
    one_round(f, g, h, a, b, c, d, e, at(3));
    one_round(e, f, g, h, a, b, c, d, at(4));
    one_round(d, e, f, g, h, a, b, c, at(5));
    one_round(c, d, e, f, g, h, a, b, at(6));
    one_round(b, c, d, e, f, g, h, a, at(7));
  }
  const std::uint32_t result[] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += result[i];
}

}  // namespace

void sha256_compress_plain(std::uint32_t* state, const char* blocks, std::size_t count) {
  for (; count != 0; --count, blocks += kSha256Block) compress_block(state, blocks);
}

void Sha256::compress(const char* blocks, std::size_t count) {
  static const Sha256Compress native = sha256_compress_native();
  (native != nullptr ? native : sha256_compress_plain)(state_.data(), blocks, count);
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
  constexpr char kHex[] = "0123456789abcdef";
  const Digest digest = finish();
  std::string hex(2 * digest.size(), '0');
  for (std::size_t i = 0; i < digest.size(); ++i) {
    hex[2 * i] = kHex[digest[i] >> 4];
    hex[2 * i + 1] = kHex[digest[i] & 15];
  }
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  return Sha256().update(bytes).finish_hex();
}

}  // namespace trainyard
