#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/http/clock.h"

namespace trainyard {

enum class Method : std::uint8_t { Get, Patch, Post, Delete };

struct Request {
  Method method = Method::Get;
  std::string path;  // from the root of the server, with its query
  std::string body = {};
  std::string content_type = {};
  std::string accept = "application/json";
  /// The answer comes line by line and may never end (watch, logs -f): no time limit, and no
  /// second attempt once the answer has begun.
  bool streams = false;
  /// Whether a second attempt does no harm: reads, dry runs, reviews, server-side apply, and
  /// deletes with the UID as a precondition.
  bool repeatable = true;
  bool writes = false;  // changes what is on the cluster
  /// For all attempts together; zero for that of the transport. Of a stream: until its answer
  /// begins; zero for no limit.
  Milliseconds timeout{0};
};

/// Why there is no answer of the server.
enum class Trouble : std::uint8_t {
  None,        // there is one, of any status
  NotReached,  // no such host, no route, connection refused
  Tls,         // the certificate of the server, or ours
  Proxy,       // the proxy does not let us through
  TimedOut,
  Lost,         // the connection ended within the answer
  NoIdentity,   // no token or certificate can be had
  Interrupted,  // the user pressed Ctrl-C
};

struct Answer {
  int status = 0;    // of HTTP; 0 where there is none
  std::string body;  // of a stream that succeeds: what follows its last line break
  Trouble trouble = Trouble::None;
  std::string problem;  // in words, with what to do; "" where there is no trouble
  int retry_after = 0;  // seconds that the server asks to wait
  unsigned attempts = 0;
  bool ok() const { return trouble == Trouble::None && status >= 200 && status < 300; }
};

/// Whether the same request may succeed later by itself: 429, 503, 504, and 500 where the server
/// gives the reason InternalError or ServerTimeout. A 500 without a reason is final: the API server
/// answers an unknown field in this way.
bool is_passing(const Answer& answer);

}  // namespace trainyard
