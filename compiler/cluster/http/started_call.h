#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/http/clock.h"
#include "cluster/http/easy_handle.h"
#include "cluster/http/multi_handle.h"
#include "cluster/http/transport.h"

namespace trainyard {

/// A request on its way, or a timer: then it has no attempt and `then` is set.
struct StartedCall {
  Transport::Ticket ticket = 0;
  Request request;
  Transport::OnEnd on_end;
  Transport::OnLine on_line;
  std::function<void()> then;

  ClockTime due;    // when the next attempt begins, or the timer fires
  ClockTime until;  // when the last attempt must be done
  std::unique_ptr<Attempt> attempt;
  std::string received;  // of the answer, without the lines that were given away
  std::size_t longest = 0;
  std::vector<Transport::Ticket>* fresh = nullptr;  // where a stream says that it received bytes
  Answer answer;
  bool shares = false;     // the attempt may share a connection
  bool probes = false;     // whether streams may
  bool has_begun = false;  // the attempt has bytes of an answer
  bool is_too_large = false;
  bool is_renewed = false;  // the identity, after a 401
  unsigned generation = 0;  // of the identity that the attempt shows

  Lane lane() const { return shares ? Lane::Shared : Lane::Single; }
  /// How long to wait before the next attempt: at least what the server asks for, and not the same
  /// for all that failed together.
  Milliseconds pause() const;
  /// A callback of libcurl, which gives the bytes of an answer; `to` is the call.
  static std::size_t receive(char* bytes, std::size_t size, std::size_t count, void* to) noexcept;
};

}  // namespace trainyard
