#include "cluster/http/multi_handle.h"

#include <algorithm>
#include <new>
#include <utility>

namespace trainyard {

MultiHandle::MultiHandle() : sockets_{{-1, POLLIN, 0}}, owners_{nullptr} {
  for (Part& each : parts_) {
    each.all = this;
    each.multi.reset(::curl_multi_init());
    CURLM* const multi = each.multi.get();
    if (multi == nullptr) throw std::bad_alloc();
    ::curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    ::curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, note_socket);
    ::curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, &each);
    ::curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, note_timer);
    ::curl_multi_setopt(multi, CURLMOPT_TIMERDATA, &each);
  }
  ::curl_multi_setopt(part(Lane::Shared).multi.get(), CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
}

MultiHandle::~MultiHandle() = default;

int MultiHandle::note_socket(CURL*, curl_socket_t socket, int what, void* to, void*) noexcept {
  Part& part = *static_cast<Part*>(to);
  std::vector<pollfd>& sockets = part.all->sockets_;
  std::vector<Part*>& owners = part.all->owners_;
  const auto found = std::find_if(sockets.begin() + 1, sockets.end(),
                                  [socket](const pollfd& each) { return each.fd == socket; });
  if (what == CURL_POLL_REMOVE) {
    if (found == sockets.end()) return 0;
    owners.erase(owners.begin() + (found - sockets.begin()));
    sockets.erase(found);
    return 0;
  }
  const int events =
      ((what & CURL_POLL_IN) != 0 ? POLLIN : 0) | ((what & CURL_POLL_OUT) != 0 ? POLLOUT : 0);
  if (found != sockets.end()) {
    found->events = static_cast<short>(events);
    return 0;
  }
  try {
    owners.reserve(owners.size() + 1);
    sockets.push_back({socket, static_cast<short>(events), 0});
    owners.push_back(&part);
  } catch (const std::bad_alloc&) {
    return -1;
  }
  return 0;
}

int MultiHandle::note_timer(CURLM*, long milliseconds, void* to) noexcept {
  static_cast<Part*>(to)->timer =
      milliseconds < 0 ? ClockTime::max() : Clock::now() + Milliseconds(milliseconds);
  return 0;
}

void MultiHandle::set_connections(Lane lane, long most) {
  ::curl_multi_setopt(part(lane).multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS, most);
}

void MultiHandle::add(Lane lane, CURL* easy) {
  ::curl_multi_add_handle(part(lane).multi.get(), easy);
}

void MultiHandle::remove(Lane lane, CURL* easy) {
  ::curl_multi_remove_handle(part(lane).multi.get(), easy);
}

bool MultiHandle::wait(Clock::duration longest, int interrupt) {
  sockets_.front().fd = interrupt;
  for (const Part& each : parts_) {
    if (each.timer != ClockTime::max()) longest = std::min(longest, each.timer - Clock::now());
  }
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
  for (Part& each : parts_) {
    if (Clock::now() < each.timer) continue;
    each.timer = ClockTime::max();
    ::curl_multi_socket_action(each.multi.get(), CURL_SOCKET_TIMEOUT, 0, &running);
  }
  ready_.clear();  // `sockets_` changes on the way
  for (std::size_t i = 1; i < sockets_.size(); ++i) {
    const int news = std::exchange(sockets_[i].revents, 0);
    // Reading the socket reports what is wrong with it.
    const int bits = ((news & ~POLLOUT) != 0 ? CURL_CSELECT_IN : 0) |
                     ((news & POLLOUT) != 0 ? CURL_CSELECT_OUT : 0);
    if (bits != 0) ready_.push_back({owners_[i], sockets_[i].fd, bits});
  }
  for (const Ready& each : ready_) {
    ::curl_multi_socket_action(each.part->multi.get(), each.socket, each.bits, &running);
  }
}

CURLMsg* MultiHandle::next_end() {
  int left = 0;
  for (Part& each : parts_) {
    if (CURLMsg* const message = ::curl_multi_info_read(each.multi.get(), &left)) return message;
  }
  return nullptr;
}

}  // namespace trainyard
