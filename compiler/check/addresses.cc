#include "check/addresses.h"

#include "schema/formats.h"
#include "schema/patterns.h"

namespace trainyard {

bool is_ip_address(std::string_view text) {
  Patterns patterns;  // neither format needs one
  return has_format(Format::Ipv4, text, patterns) || has_format(Format::Ipv6, text, patterns);
}

bool is_ipv6_address(std::string_view text) {
  Patterns patterns;
  return has_format(Format::Ipv6, text, patterns);
}

bool is_network(std::string_view text) {
  Patterns patterns;
  return has_format(Format::Cidr, text, patterns);
}

}  // namespace trainyard
