#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace trainyard {

/// Memory for text that lives as long as its owner. Addresses are stable; nothing is freed singly.
/// `clear` keeps the blocks, so that a compiler working through a fleet allocates once.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  /// `size` bytes without alignment, to be filled by the caller.
  char* allocate(std::size_t size) {
    while (current_ < blocks_.size()) {
      Block& block = blocks_[current_];
      if (block.size - used_ >= size) {
        char* result = block.bytes.get() + used_;
        used_ += size;
        return result;
      }
      ++current_;
      used_ = 0;
    }
    return allocate_block(size);
  }

  /// A copy of `text` that lives in the arena.
  std::string_view intern(std::string_view text) {
    if (text.empty()) return {};
    char* copy = allocate(text.size());
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

  /// The concatenation of `parts`, in the arena.
  template <class... Parts>
  std::string_view join(const Parts&... parts) {
    const std::size_t size = (std::string_view(parts).size() + ... + 0);
    char* out = allocate(size);
    char* at = out;
    auto put = [&at](std::string_view part) {
      if (!part.empty()) std::memcpy(at, part.data(), part.size());
      at += part.size();
    };
    (put(std::string_view(parts)), ...);
    return {out, size};
  }

  void clear() {
    current_ = 0;
    used_ = 0;
  }

 private:
  static constexpr std::size_t kBlockSize = 16 * 1024;

  [[gnu::cold]] char* allocate_block(std::size_t size) {
    const std::size_t block_size = size > kBlockSize ? size : kBlockSize;
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(block_size), block_size});
    current_ = blocks_.size() - 1;
    used_ = size;
    return blocks_.back().bytes.get();
  }

  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t current_ = 0;
  std::size_t used_ = 0;
};

}  // namespace trainyard
