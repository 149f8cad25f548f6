#include "source/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace trainyard {

void ask_for_large_pages(std::string& text) {
  constexpr std::uintptr_t kLargePage = 2 * 1024 * 1024;
  const auto begin = reinterpret_cast<std::uintptr_t>(text.data());
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = (begin + text.capacity()) / kLargePage * kLargePage;
  if (first < end) ::madvise(text.data() + (first - begin), end - first, MADV_HUGEPAGE);
}

}  // namespace trainyard
