#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace trainyard::cel {

/// An IPv4 or IPv6 address without a zone; no IPv4 address in the clothes of IPv6.
std::optional<Address> parse_address(std::string_view text);
/// An address, `/`, and the length of a prefix; the bits behind the prefix are kept.
std::optional<Address> parse_network(std::string_view text);
/// The one text that RFC 5952 gives an address, without a prefix.
std::string address_text(const Address& address);
/// The address with the bits behind its prefix zero.
Address masked(const Address& network);
/// Whether an address, or a whole network, lies in a network.
bool contains(const Address& network, const Address& other);

}  // namespace trainyard::cel
