#include "cli/rehearse/pod_sockets.h"

#include <algorithm>
#include <charconv>

namespace trainyard {
namespace {

/// The next word of a line.
std::string_view word_of(std::string_view& line) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

std::uint32_t hexadecimal(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

/// The last four bytes: of IPv6 those that hold an IPv4 address. Each byte stands behind the next.
std::string address_of(std::string_view text) {
  const std::uint32_t value = hexadecimal(text.size() > 8 ? text.substr(text.size() - 8) : text);
  std::string address;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    address += (shift == 0 ? "" : ".") + std::to_string(value >> shift & 0xffU);
  }
  return address;
}

/// include/net/tcp_states.h; a closed connection has been one.
PodSocket::State state_of(std::uint32_t number) {
  constexpr std::uint32_t kSynSent = 2, kSynReceived = 3, kClose = 7, kListen = 10;
  if (number == kListen) return PodSocket::State::Listening;
  if (number == kSynSent) return PodSocket::State::Asking;
  if (number == 0 || number == kSynReceived || number == kClose || number > 11) {
    return PodSocket::State::Other;
  }
  return PodSocket::State::Connected;
}

}  // namespace

std::vector<PodSocket> read_sockets(std::string_view table) {
  std::vector<PodSocket> sockets;
  table.remove_prefix(std::min(table.find('\n'), table.size()));
  while (!table.empty()) {
    table.remove_prefix(1);
    std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(line.size());
    word_of(line);  // its number
    const std::string_view local = word_of(line);
    const std::string_view remote = word_of(line);
    const std::string_view state = word_of(line);
    const std::size_t colon = remote.find(':');
    if (colon == remote.npos || state.empty()) continue;
    sockets.push_back({address_of(remote.substr(0, colon)),
                       static_cast<std::uint16_t>(hexadecimal(local.substr(local.find(':') + 1))),
                       static_cast<std::uint16_t>(hexadecimal(remote.substr(colon + 1))),
                       state_of(hexadecimal(state))});
  }
  return sockets;
}

}  // namespace trainyard
