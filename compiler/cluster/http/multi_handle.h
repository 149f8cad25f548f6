#pragma once

#include <curl/curl.h>
#include <poll.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/http/clock.h"

namespace trainyard {

/// Transfers of one lane have a connection each at a time, with HTTP/1.1; those of the other one
/// share some, with HTTP/2. libcurl 7.88 confuses the two on connections that both may use.
enum class Lane : std::uint8_t { Single, Shared };

/// The transfers of libcurl that go on at the same time. Only what has news costs time: libcurl's
/// own loop looks at every connection whenever one has news.
class MultiHandle {
 public:
  MultiHandle();
  MultiHandle(const MultiHandle&) = delete;
  ~MultiHandle();

  void set_connections(Lane lane, long most);
  void add(Lane lane, CURL* easy);
  void remove(Lane lane, CURL* easy);

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

  struct Part {
    MultiHandle* all = nullptr;
    ClockTime timer = ClockTime::max();
    std::unique_ptr<CURLM, Close> multi = {};  // at its end it still reports its sockets
  };
  struct Ready {
    Part* part;
    curl_socket_t socket;
    int bits;
  };
  Part& part(Lane lane) { return parts_[static_cast<std::size_t>(lane)]; }

  std::vector<pollfd> sockets_;  // in front the interrupt
  std::vector<Part*> owners_;    // of the sockets
  std::vector<Ready> ready_;
  std::array<Part, 2> parts_;
};

}  // namespace trainyard
