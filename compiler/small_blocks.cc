// Memory of the program: small blocks that were given back serve the next ones who ask for as much.
//
// A job is some hundreds of short texts and lists that live for microseconds. malloc looks at more
// than it has to for these: it cannot know the size of what is given back, which the compiler tells
// `operator delete`. Every block is malloc's own and may be freed by it, so nothing has to fit
// together: a `delete` that does not know the size, or of another thread than the one that asked,
// is right as well. Not part of the libraries, so that tests, fuzzers and sanitizers see each
// block.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

/// A block that waits, with the next one of its size.
struct Waiting {
  Waiting* next;
};

/// Sizes are those of which malloc has blocks: 8 bytes, 24, 40 ...
constexpr std::size_t kSizes = 33;
/// A thread that only gives back does not gather more of one size than this.
constexpr std::uint32_t kMostWaiting = 1024;

struct Waiters {
  Waiting* first = nullptr;
  std::uint32_t count = 0;
};

constinit thread_local std::array<Waiters, kSizes> waiting{};

constexpr std::size_t number_of(std::size_t size) {
  return (size + 7) / 16;
}

constexpr std::size_t size_of(std::size_t number) {
  return number * 16 + 8;
}

[[gnu::noinline]] void* ask_malloc(std::size_t size) {
  while (true) {
    if (void* const block = std::malloc(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t size) {
  const std::size_t number = number_of(size);
  if (number >= kSizes) return ask_malloc(size);
  Waiters& waiters = waiting[number];
  Waiting* const block = waiters.first;
  if (block == nullptr) return ask_malloc(size_of(number));
  waiters.first = block->next;
  --waiters.count;
  return block;
}

void operator delete(void* block) noexcept {
  std::free(block);
}

void operator delete(void* block, std::size_t size) noexcept {
  const std::size_t number = number_of(size);
  if (number >= kSizes || block == nullptr || waiting[number].count == kMostWaiting) {
    return std::free(block);
  }
  Waiters& waiters = waiting[number];
  waiters.first = new (block) Waiting{waiters.first};
  ++waiters.count;
}
