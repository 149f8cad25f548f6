#include "driver/build/built_stream.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

/// As much as is written with one call; the caches of a core hold it.
constexpr std::size_t kLeastRoom = 64 * 1024;

}  // namespace

BuiltStream::BuiltStream(std::string head, std::vector<std::string> parts)
    : head_(std::move(head)), parts_(std::move(parts)) {
  std::size_t longest = 0;
  for (const std::string& part : parts_) longest = std::max(longest, part.size());
  room_size_ = std::max(kLeastRoom, head_.size() + longest);
  room_ = std::make_unique_for_overwrite<char[]>(room_size_);
}

std::string BuiltStream::whole() const {
  std::size_t size = head_.size();
  for (const std::string& part : parts_) size += part.size();
  std::string all;
  all.reserve(size);
  all += head_;
  for (const std::string& part : parts_) all += part;
  return all;
}

std::string_view BuiltStream::next() {
  char* at = std::ranges::copy(std::exchange(head_, {}), room_.get()).out;
  const char* const end = room_.get() + room_size_;
  while (next_ < parts_.size()) {
    const std::string& part = parts_[next_];
    if (static_cast<std::size_t>(end - at) < part.size()) break;
    at = std::ranges::copy(part, at).out;
    ++next_;
  }
  return {room_.get(), static_cast<std::size_t>(at - room_.get())};
}

}  // namespace trainyard
