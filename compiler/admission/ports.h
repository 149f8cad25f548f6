#pragma once

#include <string_view>

#include "check/check_context.h"
#include "tree/tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

/// TCP where a port of a container or of a Service says nothing.
inline std::string_view protocol_of(View port) {
  const std::string_view protocol = string_at(port, "protocol");
  return protocol.empty() ? "TCP" : protocol;
}

/// A port by its number or by the name of a container's port.
void check_port_or_name(View port, CheckContext& context);

/// A port by its number.
void check_port_number(View port, CheckContext& context);

}  // namespace trainyard
