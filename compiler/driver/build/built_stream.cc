#include "driver/build/built_stream.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

/// As much as is written with one call; the caches of a core hold it.
constexpr std::size_t kLeastRoom = 64 * 1024;

}  // namespace

BuiltStream::BuiltStream(std::string head, MouldedText text, std::vector<std::size_t> order)
    : head_(std::move(head)), text_(std::move(text)), order_(std::move(order)) {
  std::size_t longest = 0;
  for (const std::size_t part : order_) longest = std::max(longest, text_.size(part));
  room_size_ = std::max(kLeastRoom, head_.size() + longest);
  room_ = std::make_unique_for_overwrite<char[]>(room_size_);
}

std::string BuiltStream::whole() const {
  std::size_t size = head_.size();
  for (const std::size_t part : order_) size += text_.size(part);
  std::string all = head_;
  all.resize(size);
  char* at = all.data() + head_.size();
  for (const std::size_t part : order_) at = text_.write(part, at);
  return all;
}

std::string_view BuiltStream::next() {
  char* at = std::ranges::copy(std::exchange(head_, {}), room_.get()).out;
  const char* const end = room_.get() + room_size_;
  while (next_ < order_.size()) {
    if (static_cast<std::size_t>(end - at) < text_.size(order_[next_])) break;
    at = text_.write(order_[next_++], at);
  }
  return {room_.get(), static_cast<std::size_t>(at - room_.get())};
}

}  // namespace trainyard
