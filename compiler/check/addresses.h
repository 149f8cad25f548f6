#pragma once

#include <string_view>

namespace trainyard {

/// An IPv4 or IPv6 address, as Go's net.ParseIP reads it.
bool is_ip_address(std::string_view text);
bool is_ipv6_address(std::string_view text);
/// `10.0.0.0/8`, as Go's net.ParseCIDR reads it.
bool is_network(std::string_view text);

}  // namespace trainyard
