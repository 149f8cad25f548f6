#pragma once

#include <string_view>

namespace trainyard {

/// An IPv4 or IPv6 address, as Go's net.ParseIP reads it.
bool is_ip_address(std::string_view text);
/// Whether a decimal number of an address or a network begins with a `0` that could go.
bool has_leading_zeros(std::string_view text);
/// `10.0.0.0/8`, as Go's net.ParseCIDR reads it.
bool is_network(std::string_view text);
/// Whether a network has bits behind its prefix, as `10.1.2.3/8`.
bool has_host_bits(std::string_view network);

}  // namespace trainyard
