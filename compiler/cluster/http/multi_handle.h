#pragma once

#include <curl/curl.h>
#include <poll.h>

#include <memory>
#include <utility>
#include <vector>

#include "cluster/http/clock.h"

namespace trainyard {

/// The transfers of libcurl that go on at the same time. Only what has news costs time: libcurl's
/// own loop looks at every connection whenever one has news.
class MultiHandle {
 public:
  MultiHandle();
  MultiHandle(const MultiHandle&) = delete;
  ~MultiHandle();

  void set_connections(long most);
  void add(CURL* easy);
  void remove(CURL* easy);

  /// Waits for news of a transfer, or until the descriptor `interrupt` can be read, for which it
  /// then returns true; -1 for none.
  bool wait(Clock::duration longest, int interrupt);
  /// Whether that descriptor can be read now.
  static bool has_news(int interrupt);
  /// Goes on with the transfers that have news.
  void act();
  /// The next transfer that has ended; null when there is none.
  CURLMsg* next_end();

 private:
  static int note_socket(CURL* easy, curl_socket_t socket, int what, void* self, void*) noexcept;
  static int note_timer(CURLM* multi, long milliseconds, void* self) noexcept;

  struct Close {
    void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
  };

  std::vector<pollfd> sockets_;  // in front the interrupt
  std::vector<std::pair<curl_socket_t, int>> ready_;
  ClockTime timer_ = ClockTime::max();
  std::unique_ptr<CURLM, Close> multi_;  // at its end it still tells of its sockets
};

}  // namespace trainyard
