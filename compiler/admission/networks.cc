#include "admission/networks.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "diag/words.h"
#include "schema/formats.h"
#include "schema/patterns.h"
#include "source/characters.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct Network {
  std::array<std::uint8_t, 16> bytes{};
  int family = AF_INET;
  int prefix = 0;
};

std::optional<Network> network_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string address(text.substr(0, slash));
  Network network;
  network.family = address.find(':') == std::string::npos ? AF_INET : AF_INET6;
  const auto prefix = read_number<int>(text.substr(slash + 1));
  if (!prefix) return std::nullopt;
  network.prefix = *prefix;
  if (inet_pton(network.family, address.c_str(), network.bytes.data()) != 1) return std::nullopt;
  return network;
}

/// An IPv4 or IPv6 address, as Go's net.ParseIP reads it.
bool is_ip_address(std::string_view text) {
  Patterns patterns;  // neither format needs one
  return has_format(Format::Ipv4, text, patterns) || has_format(Format::Ipv6, text, patterns);
}

/// Whether a decimal number of an address or a network begins with a `0` that could go.
bool has_leading_zeros(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view address = text.substr(0, slash);
  const bool ipv4 = address.find(':') == std::string_view::npos;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool decimal = i > slash || (ipv4 && i < slash);
    const bool first = i == 0 || text[i - 1] == '.' || text[i - 1] == '/';
    if (decimal && first && text[i] == '0' && is_digit(text[i + 1])) return true;
  }
  return false;
}

/// `10.0.0.0/8`, as Go's net.ParseCIDR reads it.
bool is_network(std::string_view text) {
  Patterns patterns;
  return has_format(Format::Cidr, text, patterns);
}

/// Whether a network has bits behind its prefix, as `10.1.2.3/8`.
bool has_host_bits(std::string_view network) {
  const auto read = network_of(network);
  if (!read) return false;
  const int all = read->family == AF_INET ? 32 : 128;
  for (int i = read->prefix; i < all; ++i) {
    if ((read->bytes[static_cast<std::size_t>(i / 8)] & (0x80u >> (i % 8))) != 0) return true;
  }
  return false;
}

bool has_strict_zeros(std::string_view text, const CheckContext& context) {
  return !context.before(36) && has_leading_zeros(text);
}

std::string zeros_fault(std::string_view text) {
  return shown(text) + " has leading zeros, which some programs read as octal: write it without";
}

}  // namespace

void check_address(View at, CheckContext& context) {
  const std::string_view text = string_of(at);
  if (text.empty()) return;
  if (!is_ip_address(text)) {
    context.refuse(at, shown(text) + " is no IP address");
  } else if (has_strict_zeros(text, context)) {
    context.refuse(at, zeros_fault(text));
  }
}

void check_network(View text, CheckContext& context) {
  const std::string_view network = string_of(text);
  if (!is_network(network)) {
    context.refuse(text, shown(network) + " is no network; expected one such as `10.0.0.0/8`");
  } else if (has_strict_zeros(network, context)) {
    context.refuse(text, zeros_fault(network));
  } else if (!context.before(36) && has_host_bits(network)) {
    context.refuse(text, shown(network) +
                             " has bits behind its prefix, so it is no network but an "
                             "address in one");
  }
}

}  // namespace trainyard
