#include "source/sha256_of_each.h"

#include <array>
#include <cstdint>
#include <utility>

#include "source/sha256.h"
#include "source/sha256_blocks.h"

namespace trainyard {
namespace {

/// A text as whole blocks: with its end mark and its length in bits.
std::string padded(std::string_view text) {
  std::string blocks;
  blocks.reserve(text.size() + 2 * kSha256Block);
  blocks.append(text).push_back('\x80');
  const std::size_t used = (blocks.size() + sizeof(std::uint64_t)) % kSha256Block;
  blocks.append((kSha256Block - used) % kSha256Block, '\0');
  const std::uint64_t bits = 8 * std::uint64_t{text.size()};
  for (int shift = 56; shift >= 0; shift -= 8) blocks += static_cast<char>(bits >> shift);
  return blocks;
}

/// Texts in turn, each in the lane that is free first.
class Lanes {
 public:
  Lanes(Sha256CompressLanes compress, std::span<const std::string_view> texts)
      : compress_(compress), texts_(texts), digests_(texts.size()) {
    for (std::size_t lane = 0; lane < kSha256Lanes; ++lane) begin(lane);
  }

  std::vector<std::string> run() && {
    while (left_ != 0) step();
    return std::move(digests_);
  }

 private:
  struct Lane {
    std::size_t text = 0;
    std::string blocks;
    std::size_t at = 0;
  };

  void begin(std::size_t lane) {
    Lane& own = lanes_[lane];
    own.at = 0;
    own.text = next_;
    if (next_ == texts_.size()) {
      own.blocks.assign(kSha256Block, '\0');  // its result is not used
      return;
    }
    own.blocks = padded(texts_[next_++]);
    ++left_;
    for (std::size_t i = 0; i < 8; ++i) states_.words[i][lane] = kSha256Start[i];
  }

  void step() {
    std::array<const char*, kSha256Lanes> blocks;
    for (std::size_t i = 0; i < kSha256Lanes; ++i) {
      blocks[i] = lanes_[i].blocks.data() + lanes_[i].at;
    }
    compress_(states_, blocks.data());
    for (std::size_t i = 0; i < kSha256Lanes; ++i) {
      Lane& lane = lanes_[i];
      if (lane.text == texts_.size()) continue;
      lane.at += kSha256Block;
      if (lane.at == lane.blocks.size()) finish(i);
    }
  }

  void finish(std::size_t lane) {
    std::array<std::uint32_t, 8> words;
    for (std::size_t i = 0; i < 8; ++i) words[i] = states_.words[i][lane];
    digests_[lanes_[lane].text] = sha256_hex_of_state(words.data());
    --left_;
    begin(lane);
  }

  Sha256CompressLanes compress_;
  std::span<const std::string_view> texts_;
  std::vector<std::string> digests_;
  std::array<Lane, kSha256Lanes> lanes_;
  Sha256States states_{};
  std::size_t next_ = 0;  // text
  std::size_t left_ = 0;  // texts in lanes
};

std::vector<std::string> sha256_hex_one_by_one(std::span<const std::string_view> texts) {
  std::vector<std::string> digests;
  digests.reserve(texts.size());
  for (const std::string_view text : texts) digests.push_back(sha256_hex(text));
  return digests;
}

}  // namespace

std::vector<std::string> sha256_hex_by_lanes(std::span<const std::string_view> texts) {
  const Sha256CompressLanes lanes = sha256_compress_lanes();
  return lanes == nullptr ? sha256_hex_one_by_one(texts) : Lanes(lanes, texts).run();
}

std::vector<std::string> sha256_hex_of_each(std::span<const std::string_view> texts) {
  static const bool has_instructions = sha256_compress_native() != nullptr;
  const bool is_one = has_instructions || texts.size() < 2;
  return is_one ? sha256_hex_one_by_one(texts) : sha256_hex_by_lanes(texts);
}

}  // namespace trainyard
