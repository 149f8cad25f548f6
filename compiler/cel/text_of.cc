#include "cel/text_of.h"

#include "cel/addresses.h"
#include "cel/numbers.h"
#include "cel/times.h"

namespace trainyard::cel {

std::optional<std::string> text_of(const Value& value) {
  switch (value.type()) {
    case Type::Bool:
      return value.as_bool() ? "true" : "false";
    case Type::Int:
      return std::to_string(value.as_int());
    case Type::Uint:
      return std::to_string(value.as_uint());
    case Type::Double:
      return double_text(value.as_double());
    case Type::String:
    case Type::Bytes:
    case Type::Type:
      return std::string(value.text());
    case Type::Duration:
      return duration_text(value.as_int());
    case Type::Timestamp:
      return timestamp_text(value.moment());
    case Type::Ip:
      return address_text(value.as_address());
    case Type::Cidr:
      return address_text(value.as_address()) + "/" + std::to_string(value.as_address().prefix);
    default:
      return std::nullopt;
  }
}

}  // namespace trainyard::cel
