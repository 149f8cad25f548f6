#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace trainyard {

[[noreturn, gnu::cold, gnu::noinline]] inline void no_such_item() {
  std::fputs("trainyard: an index beyond the end of a table\n", stderr);
  std::abort();
}

/// `items[index]`, which ends the program where there is none. The vector's own check, for which
/// the release asks, divides by the size of an item each time; this one does not.
template <class Item>
const Item& item_at(const std::vector<Item>& items, std::uint32_t index) {
  const Item* const item = items.data() + index;
  if (item >= std::to_address(items.end())) [[unlikely]]
    no_such_item();
  return *item;
}
template <class Item>
Item& item_at(std::vector<Item>& items, std::uint32_t index) {
  return const_cast<Item&>(item_at(std::as_const(items), index));
}

}  // namespace trainyard
