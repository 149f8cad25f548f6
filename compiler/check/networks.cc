#include "check/networks.h"

#include "check/addresses.h"
#include "check/read.h"
#include "schema/words.h"

namespace trainyard {

void check_network(View text, CheckContext& context) {
  const std::string_view network = string_of(text);
  if (!is_network(network)) {
    context.refuse(text, shown(network) + " is no network; expected one such as `10.0.0.0/8`");
  } else if (!context.before(36) && has_host_bits(network)) {
    context.refuse(text, shown(network) +
                             " has bits behind its prefix, so it is no network but an "
                             "address in one");
  }
}

}  // namespace trainyard
