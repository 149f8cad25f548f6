#include "cluster/http/multi_handle.h"

#include <algorithm>
#include <new>
#include <utility>

namespace trainyard {

MultiHandle::MultiHandle() : sockets_{{-1, POLLIN, 0}}, multi_(::curl_multi_init()) {
  if (multi_ == nullptr) throw std::bad_alloc();
  ::curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  ::curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, note_socket);
  ::curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
  ::curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, note_timer);
  ::curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
}

MultiHandle::~MultiHandle() = default;

int MultiHandle::note_socket(CURL*, curl_socket_t socket, int what, void* self, void*) noexcept {
  std::vector<pollfd>& sockets = static_cast<MultiHandle*>(self)->sockets_;
  const auto found = std::find_if(sockets.begin() + 1, sockets.end(),
                                  [socket](const pollfd& each) { return each.fd == socket; });
  if (what == CURL_POLL_REMOVE) {
    if (found != sockets.end()) sockets.erase(found);
    return 0;
  }
  const int events =
      ((what & CURL_POLL_IN) != 0 ? POLLIN : 0) | ((what & CURL_POLL_OUT) != 0 ? POLLOUT : 0);
  if (found != sockets.end()) {
    found->events = static_cast<short>(events);
    return 0;
  }
  try {
    sockets.push_back({socket, static_cast<short>(events), 0});
  } catch (const std::bad_alloc&) {
    return -1;
  }
  return 0;
}

int MultiHandle::note_timer(CURLM*, long milliseconds, void* self) noexcept {
  static_cast<MultiHandle*>(self)->timer_ =
      milliseconds < 0 ? ClockTime::max() : Clock::now() + Milliseconds(milliseconds);
  return 0;
}

void MultiHandle::set_connections(long most) {
  ::curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS, most);
}

void MultiHandle::add(CURL* easy) {
  ::curl_multi_add_handle(multi_.get(), easy);
}

void MultiHandle::remove(CURL* easy) {
  ::curl_multi_remove_handle(multi_.get(), easy);
}

bool MultiHandle::wait(Clock::duration longest, int interrupt) {
  sockets_.front().fd = interrupt;
  if (timer_ != ClockTime::max()) longest = std::min(longest, timer_ - Clock::now());
  const auto milliseconds = std::chrono::ceil<Milliseconds>(longest).count();
  const int timeout = static_cast<int>(std::clamp<long long>(milliseconds, 0, 60'000));
  ::poll(sockets_.data(), sockets_.size(), timeout);
  return sockets_.front().revents != 0;
}

bool MultiHandle::has_news(int interrupt) {
  pollfd only{interrupt, POLLIN, 0};
  return interrupt != -1 && ::poll(&only, 1, 0) > 0;
}

void MultiHandle::act() {
  int running = 0;
  if (Clock::now() >= timer_) {
    timer_ = ClockTime::max();
    ::curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
  }
  ready_.clear();  // `sockets_` changes on the way
  for (auto each = sockets_.begin() + 1; each != sockets_.end(); ++each) {
    const int news = std::exchange(each->revents, 0);
    // Reading the socket reports what is wrong with it.
    const int bits = ((news & ~POLLOUT) != 0 ? CURL_CSELECT_IN : 0) |
                     ((news & POLLOUT) != 0 ? CURL_CSELECT_OUT : 0);
    if (bits != 0) ready_.emplace_back(each->fd, bits);
  }
  for (const auto& [socket, bits] : ready_) {
    ::curl_multi_socket_action(multi_.get(), socket, bits, &running);
  }
}

CURLMsg* MultiHandle::next_end() {
  int left = 0;
  return ::curl_multi_info_read(multi_.get(), &left);
}

}  // namespace trainyard
