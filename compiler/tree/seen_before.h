#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// What came before, by a hash: those of different things may be the same. Remembers the last few.
class SeenBefore {
 public:
  /// Whether it has come before; from now on it has.
  bool again(std::uint64_t hash) {
    if (std::ranges::find(hashes_, hash) != hashes_.end()) return true;
    if (hashes_.size() < kMost) {
      hashes_.push_back(hash);
    } else {
      hashes_[next_++ % kMost] = hash;
    }
    return false;
  }
  bool is_empty() const { return hashes_.empty(); }

 private:
  static constexpr std::size_t kMost = 16;

  std::vector<std::uint64_t> hashes_;
  std::size_t next_ = 0;
};

}  // namespace trainyard
