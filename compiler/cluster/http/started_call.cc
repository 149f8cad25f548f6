#include "cluster/http/started_call.h"

#include <algorithm>
#include <new>

namespace trainyard {
namespace {

constexpr Milliseconds kFirstPause{100};
constexpr Milliseconds kLongestPause{5'000};

}  // namespace

Milliseconds StartedCall::pause() const {
  const unsigned doublings = std::min(answer.attempts - 1, 10U);
  const Milliseconds pause = std::min(kFirstPause * (1U << doublings), kLongestPause);
  const Milliseconds jitter = pause * static_cast<int>(ticket * 7919 % 50) / 100;
  return std::max<Milliseconds>(pause + jitter, std::chrono::seconds(answer.retry_after));
}

std::size_t StartedCall::receive(char* bytes, std::size_t size, std::size_t count,
                                 void* to) noexcept {
  StartedCall& call = *static_cast<StartedCall*>(to);
  call.has_begun = true;
  const std::size_t length = size * count;
  if (call.received.size() + length > call.longest) {
    call.is_too_large = true;
    return 0;
  }
  try {
    if (call.on_line) call.fresh->push_back(call.ticket);
    call.received.append(bytes, length);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return length;
}

}  // namespace trainyard
