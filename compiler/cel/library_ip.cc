#include <algorithm>
#include <array>

#include "cel/addresses.h"
#include "cel/functions.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

Value ip(Context& context, Arguments a) {
  const auto address = parse_address(a[0].text());
  if (address) return Value::address(Type::Ip, context.heap.keep(*address));
  return context.heap.error("`" + std::string(a[0].text()) + "` is no IP address");
}

Value is_ip(Context&, Arguments a) {
  return Value::boolean(parse_address(a[0].text()).has_value());
}

Value is_canonical(Context& context, Arguments a) {
  const Value parsed = ip(context, a);
  if (parsed.is_error()) return parsed;
  return Value::boolean(address_text(parsed.as_address()) == a[0].text());
}

Value cidr(Context& context, Arguments a) {
  const auto network = parse_network(a[0].text());
  if (network) return Value::address(Type::Cidr, context.heap.keep(*network));
  return context.heap.error("`" + std::string(a[0].text()) + "` is no network in CIDR notation");
}

Value is_cidr(Context&, Arguments a) {
  return Value::boolean(parse_network(a[0].text()).has_value());
}

Value family(Context&, Arguments a) {
  return Value::integer(a[0].as_address().size == 4 ? 4 : 6);
}

bool is_v4(const Address& a) {
  return a.size == 4;
}
bool unspecified(const Address& a) {
  return std::ranges::all_of(std::span(a.bytes).first(a.size), [](auto b) { return b == 0; });
}
bool loopback(const Address& a) {
  if (is_v4(a)) return a.bytes[0] == 127;
  Address last = a;
  last.bytes[15] = 0;
  return a.bytes[15] == 1 && unspecified(last);
}
bool multicast(const Address& a) {
  return is_v4(a) ? (a.bytes[0] & 0xf0) == 0xe0 : a.bytes[0] == 0xff;
}
bool link_local_multicast(const Address& a) {
  if (is_v4(a)) return a.bytes[0] == 224 && a.bytes[1] == 0 && a.bytes[2] == 0;
  return a.bytes[0] == 0xff && (a.bytes[1] & 0x0f) == 2;
}
bool link_local_unicast(const Address& a) {
  if (is_v4(a)) return a.bytes[0] == 169 && a.bytes[1] == 254;
  return a.bytes[0] == 0xfe && (a.bytes[1] & 0xc0) == 0x80;
}
bool broadcast(const Address& a) {
  return is_v4(a) &&
         std::ranges::all_of(std::span(a.bytes).first(4), [](auto b) { return b == 255; });
}
bool global_unicast(const Address& a) {
  return !unspecified(a) && !loopback(a) && !multicast(a) && !link_local_unicast(a) &&
         !broadcast(a);
}

template <bool (*test)(const Address&)>
Value tested(Context&, Arguments a) {
  return Value::boolean(test(a[0].as_address()));
}

Value contains_ip(Context& context, Arguments a) {
  const Value other = a[1].is(Type::String) ? ip(context, a.subspan(1)) : a[1];
  if (other.is_error()) return other;
  if (!other.is(Type::Ip)) return no_overload();
  return Value::boolean(contains(a[0].as_address(), other.as_address()));
}

Value contains_cidr(Context& context, Arguments a) {
  const Value other = a[1].is(Type::String) ? cidr(context, a.subspan(1)) : a[1];
  if (other.is_error()) return other;
  if (!other.is(Type::Cidr)) return no_overload();
  const bool within = a[0].as_address().prefix <= other.as_address().prefix;
  return Value::boolean(within && contains(a[0].as_address(), other.as_address()));
}

Value ip_of(Context& context, Arguments a) {
  Address address = a[0].as_address();
  address.prefix = 0;
  return Value::address(Type::Ip, context.heap.keep(address));
}

Value prefix_length(Context&, Arguments a) {
  return Value::integer(a[0].as_address().prefix);
}

Value masked_network(Context& context, Arguments a) {
  return Value::address(Type::Cidr, context.heap.keep(masked(a[0].as_address())));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"ip", Style::Global, 1, 1, Type::String, ip},
    {"isIP", Style::Global, 1, 1, Type::String, is_ip},
    {"ip.isCanonical", Style::Global, 1, 1, Type::String, is_canonical},
    {"family", Style::Member, 1, 1, Type::Ip, family},
    {"isUnspecified", Style::Member, 1, 1, Type::Ip, tested<unspecified>},
    {"isLoopback", Style::Member, 1, 1, Type::Ip, tested<loopback>},
    {"isLinkLocalMulticast", Style::Member, 1, 1, Type::Ip, tested<link_local_multicast>},
    {"isLinkLocalUnicast", Style::Member, 1, 1, Type::Ip, tested<link_local_unicast>},
    {"isGlobalUnicast", Style::Member, 1, 1, Type::Ip, tested<global_unicast>},
    {"cidr", Style::Global, 1, 1, Type::String, cidr},
    {"isCIDR", Style::Global, 1, 1, Type::String, is_cidr},
    {"containsIP", Style::Member, 2, 2, Type::Cidr, contains_ip},
    {"containsCIDR", Style::Member, 2, 2, Type::Cidr, contains_cidr},
    {"ip", Style::Member, 1, 1, Type::Cidr, ip_of},
    {"prefixLength", Style::Member, 1, 1, Type::Cidr, prefix_length},
    {"masked", Style::Member, 1, 1, Type::Cidr, masked_network},
});

}  // namespace

std::span<const Function> ip_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
