// Small blocks that are given back are kept for the next one of their size, a few hundred for each
// thread: a job is made of some hundred of them, which come and go together, and the allocator of
// libc keeps seven of a size at hand. Only in the program: sanitizers have an allocator of their
// own.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kStep = 16;
constexpr std::size_t kSizes = 16;  // blocks of up to 256 bytes
constexpr unsigned kMostKept = 128;

struct Free {
  Free* next;
};
struct Kept {
  Free* first = nullptr;
  unsigned count = 0;
};
constinit thread_local std::array<Kept, kSizes + 1> kept{};

constexpr std::size_t size_class(std::size_t size) {
  return (size + kStep - 1) / kStep;
}

[[gnu::noinline]] void* allocate(std::size_t size) {
  for (;;) {
    if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t size) {
  const std::size_t which = size_class(size);
  if (which > kSizes || size == 0) return allocate(size);
  Kept& blocks = kept[which];
  if (blocks.first == nullptr) return allocate(which * kStep);
  Free* const block = blocks.first;
  blocks.first = block->next;
  --blocks.count;
  return block;
}

void operator delete(void* block) noexcept {
  std::free(block);
}

void operator delete(void* block, std::size_t size) noexcept {
  if (block == nullptr) return;
  const std::size_t which = size_class(size);
  if (which > kSizes || size == 0) return std::free(block);
  Kept& blocks = kept[which];
  if (blocks.count == kMostKept) return std::free(block);
  blocks.first = new (block) Free{blocks.first};
  ++blocks.count;
}
