#include "driver/build/built_stream.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

/// As much as is written with one call; the caches of a core hold it.
constexpr std::size_t kLeastRoom = 64 * 1024;

}  // namespace

BuiltStream::BuiltStream(std::string head, Spool spool, std::vector<Spool::Piece> parts)
    : head_(std::move(head)), spool_(std::move(spool)), parts_(std::move(parts)) {
  std::size_t longest = 0;
  for (const Spool::Piece& part : parts_) longest = std::max(longest, part.size);
  room_size_ = std::max(kLeastRoom, head_.size() + longest);
  room_ = std::make_unique_for_overwrite<char[]>(room_size_);
}

std::string BuiltStream::whole() const {
  std::size_t size = head_.size();
  for (const Spool::Piece& part : parts_) size += part.size;
  std::string all = head_;
  all.resize(size);
  char* at = all.data() + head_.size();
  for (const Spool::Piece& part : parts_) at = spool_.copy(part, at);
  return all;
}

std::string_view BuiltStream::next() {
  char* at = std::ranges::copy(std::exchange(head_, {}), room_.get()).out;
  const char* const end = room_.get() + room_size_;
  while (next_ < parts_.size()) {
    const Spool::Piece& part = parts_[next_];
    if (static_cast<std::size_t>(end - at) < part.size) break;
    at = spool_.copy(part, at);
    ++next_;
  }
  return {room_.get(), static_cast<std::size_t>(at - room_.get())};
}

}  // namespace trainyard
