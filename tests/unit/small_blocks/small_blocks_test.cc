// This program is linked with compiler/small_blocks.cc, as `trainyard` is.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kLargest = 700;  // beyond the sizes that wait

struct Block {
  void* at;
  std::size_t size;
};

Block filled(std::size_t size) {
  void* const at = ::operator new(size);
  std::memset(at, static_cast<int>(size & 0xff), size);
  return {at, size};
}

bool holds_its_own(const Block& block) {
  const auto* bytes = static_cast<const unsigned char*>(block.at);
  return std::all_of(bytes, bytes + block.size,
                     [&](unsigned char byte) { return byte == (block.size & 0xff); });
}

}  // namespace

TEST_CASE("blocks of all sizes are apart from each other, and aligned", "[small_blocks]") {
  for (int round = 0; round < 3; ++round) {
    std::vector<Block> blocks;
    for (std::size_t size = 0; size < kLargest; ++size) {
      blocks.push_back(filled(size));
      blocks.push_back(filled(size));
    }
    std::set<void*> places;
    for (const Block& block : blocks) {
      CHECK(holds_its_own(block));
      CHECK(reinterpret_cast<std::uintptr_t>(block.at) % alignof(std::max_align_t) == 0);
      places.insert(block.at);
    }
    CHECK(places.size() == blocks.size());
    // What is given back without its size is malloc's again.
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      i % 3 == 0 ? ::operator delete(blocks[i].at)
                 : ::operator delete(blocks[i].at, blocks[i].size);
    }
  }
}

TEST_CASE("a block that was given back serves the next one of its size", "[small_blocks]") {
  void* const first = ::operator new(100);
  ::operator delete(first, 100);
  void* const second = ::operator new(97);
  CHECK(second == first);
  ::operator delete(second, 97);
}

TEST_CASE("nothing is given back, of whatever size", "[small_blocks]") {
  void* const none = nullptr;
  ::operator delete(none, 8);
  ::operator delete(none, kLargest);
  SUCCEED("it did not fail");
  const std::string still(200, 'x');
  CHECK(still.size() == 200);
}

TEST_CASE("blocks may be given back by other threads than those that asked", "[small_blocks]") {
  constexpr int kThreads = 4;
  std::vector<std::vector<std::unique_ptr<std::string>>> made(kThreads);
  std::vector<std::thread> makers;
  for (int i = 0; i < kThreads; ++i) {
    makers.emplace_back([&made, i] {
      auto& own = made[static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < 5000; ++j) {
        own.push_back(std::make_unique<std::string>(j % 300, static_cast<char>('a' + i)));
      }
    });
  }
  for (std::thread& each : makers) each.join();
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> takers;
  for (int i = 0; i < kThreads; ++i) {
    takers.emplace_back([&made, &wrong, i] {
      auto theirs = std::move(made[static_cast<std::size_t>((i + 1) % kThreads)]);
      for (std::size_t j = 0; j < theirs.size(); ++j) {
        const std::string expected(j % 300, static_cast<char>('a' + (i + 1) % kThreads));
        wrong[static_cast<std::size_t>(i)] += *theirs[j] == expected ? 0 : 1;
        theirs[j].reset();
      }
    });
  }
  for (std::thread& each : takers) each.join();
  CHECK(wrong == std::vector<int>(kThreads, 0));
}

TEST_CASE("what there is not ends in bad_alloc, after the handler was asked", "[small_blocks]") {
  static int asked = 0;
  asked = 0;
  const std::new_handler before = std::set_new_handler([] {
    ++asked;
    std::set_new_handler(nullptr);
  });
  volatile std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
  CHECK_THROWS_AS(::operator new(most), std::bad_alloc);
  CHECK(asked == 1);
  std::set_new_handler(before);
}
