#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A TCP socket of a pod, as `/proc/net/tcp` lists it.
struct PodSocket {
  enum class State : std::uint8_t { Connected, Asking, Listening, Other };
  std::string remote;  // `10.99.0.1`
  std::uint16_t local_port = 0;
  std::uint16_t remote_port = 0;
  State state = State::Other;
};

/// The sockets of a table, `/proc/net/tcp` or `tcp6` (kernel,
/// Documentation/networking/proc_net_tcp).
std::vector<PodSocket> read_sockets(std::string_view table);

}  // namespace trainyard
