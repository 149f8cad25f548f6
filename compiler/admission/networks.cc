#include "admission/networks.h"

#include "admission/ip_addresses.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {

namespace {

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
