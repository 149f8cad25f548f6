#include "schema/rule_text.h"

#include <array>
#include <optional>

#include "cel/times.h"
#include "schema/format_parsers.h"
#include "schema/formats.h"
#include "schema/names.h"

namespace trainyard {
namespace {

std::optional<unsigned> base64_digit(char c) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = digits.find(c);
  return at == digits.npos ? std::nullopt : std::optional(static_cast<unsigned>(at));
}

std::string decoded(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (char c : text) {
    const auto digit = base64_digit(c);
    if (!digit) continue;  // a line break, or the padding
    bits = bits << 6 | *digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

struct LongUnit {
  std::string_view name;
  std::int64_t seconds;
};

/// `3 days`, `2 weeks`: what kube-openapi reads besides the durations of Go.
std::optional<std::int64_t> long_duration(std::string_view text) {
  constexpr auto units =
      std::to_array<LongUnit>({{"sec", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}});
  std::int64_t amount = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && amount < 100'000; ++at) {
    amount = amount * 10 + (text[at] - '0');
  }
  if (at == 0) return std::nullopt;
  while (at < text.size() && text[at] == ' ') ++at;
  for (const LongUnit& unit : units) {
    if (text.substr(at).starts_with(unit.name)) {
      return amount * unit.seconds * cel::kNanosPerSecond;
    }
  }
  return std::nullopt;
}

cel::Value as_duration(std::string_view text, cel::Heap& heap) {
  auto nanos = cel::parse_duration(text);
  if (!nanos) nanos = long_duration(text);
  return nanos ? cel::Value::duration(*nanos)
               : heap.error("`" + std::string(text) + "` is no duration");
}

cel::Value as_timestamp(std::string_view text, bool date, cel::Heap& heap) {
  const auto moment =
      cel::parse_timestamp(date ? std::string(text) + "T00:00:00Z" : std::string(text));
  return moment ? cel::Value::timestamp(*moment)
                : heap.error("`" + std::string(text) + "` is no time");
}

struct NamedCheck {
  std::string_view name;
  Fault (*fault)(std::string_view);
};

/// A prefix may end in `-`, because more will follow.
template <Fault (*rule)(std::string_view)>
Fault prefix_fault(std::string_view text) {
  std::string name(text);
  if (name.ends_with('-')) name.back() = 'a';
  return rule(name);
}

template <bool (*test)(std::string_view)>
Fault format_fault(std::string_view text) {
  return test(text) ? Fault() : Fault("does not have this format");
}

Fault uuid_fault(std::string_view text) {
  Patterns patterns;
  return has_format(Format::Uuid, text, patterns) ? Fault() : Fault("is no UUID");
}

constexpr auto kChecks = std::to_array<NamedCheck>({
    {"dns1123Label", why_not_dns_label},
    {"dns1123Subdomain", why_not_subdomain},
    {"dns1035Label", why_not_service_name},
    {"qualifiedName", why_not_label_key},
    {"dns1123LabelPrefix", prefix_fault<why_not_dns_label>},
    {"dns1123SubdomainPrefix", prefix_fault<why_not_subdomain>},
    {"dns1035LabelPrefix", prefix_fault<why_not_service_name>},
    {"labelValue", why_not_label_value},
    {"uri", format_fault<is_request_uri>},
    {"uuid", uuid_fault},
    {"byte", format_fault<is_base64>},
    {"date", format_fault<is_date>},
    {"datetime", format_fault<is_date_time>},
});

}  // namespace

cel::Value rule_text(std::string_view format, std::string_view text, cel::Heap& heap) {
  if (format == "duration") return as_duration(text, heap);
  if (format == "date-time" || format == "date") return as_timestamp(text, format == "date", heap);
  if (format == "byte") return cel::Value::bytes(heap.text(decoded(text)));
  return cel::Value::string(text);
}

bool check_rule_format(std::string_view format, std::string_view text,
                       std::vector<std::string>& messages) {
  for (const NamedCheck& each : kChecks) {
    if (each.name != format) continue;
    if (const Fault fault = each.fault(text)) {
      messages.push_back("`" + std::string(text) + "` " + *fault);
    }
    return true;
  }
  return false;
}

}  // namespace trainyard
