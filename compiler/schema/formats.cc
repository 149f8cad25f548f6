#include "schema/formats.h"

#include <algorithm>
#include <array>
#include <string>

#include "schema/format_parsers.h"
#include "schema/names.h"

namespace trainyard {
namespace {

struct FormatInfo {
  std::string_view name;  // without `-`
  Format format;
  std::string_view example;
  std::string_view pattern;  // empty: a parser of its own
};

constexpr std::string_view kHostname =
    "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|"
    "([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}"
    "([a-zA-Z\\p{L}]){2,63})$";
constexpr std::string_view kRgb =
    "^rgb\\(\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,"
    "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,"
    "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*\\)$";

constexpr auto kFormats = std::to_array<FormatInfo>({
    {"bsonobjectid", Format::BsonObjectId, "24 hexadecimal digits", "^[0-9a-fA-F]{24}$"},
    {"uri", Format::Uri, "a URI such as `https://host/path`", ""},
    {"email", Format::Email, "an e-mail address such as `user@example.com`", ""},
    {"hostname", Format::Hostname, "a host name such as `node.example.com`", kHostname},
    {"ipv4", Format::Ipv4, "an IPv4 address such as `10.0.0.1`", ""},
    {"ipv6", Format::Ipv6, "an IPv6 address such as `fd00::1`", ""},
    {"cidr", Format::Cidr, "a CIDR block such as `10.0.0.0/16`", ""},
    {"mac", Format::Mac, "a MAC address such as `01:23:45:67:89:ab`", ""},
    {"uuid", Format::Uuid, "a UUID such as `123e4567-e89b-12d3-a456-426614174000`",
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid3", Format::Uuid3, "a version 3 UUID",
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid4", Format::Uuid4, "a version 4 UUID",
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {"uuid5", Format::Uuid5, "a version 5 UUID",
     "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {"isbn", Format::Isbn, "an ISBN of 10 or 13 digits", ""},
    {"isbn10", Format::Isbn10, "an ISBN of 10 digits", ""},
    {"isbn13", Format::Isbn13, "an ISBN of 13 digits", ""},
    {"creditcard", Format::CreditCard, "a credit card number", ""},
    {"ssn", Format::Ssn, "a social security number such as `123-45-6789`",
     "^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$"},
    {"hexcolor", Format::HexColor, "a colour such as `#00ff00`",
     "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
    {"rgbcolor", Format::RgbColor, "a colour such as `rgb(0,255,0)`", kRgb},
    {"byte", Format::Byte, "base64", ""},
    {"date", Format::Date, "a date such as `2025-01-31`", ""},
    {"duration", Format::Duration, "a duration such as `1h30m`", ""},
    {"datetime", Format::DateTime, "a time such as `2025-01-31T12:00:00Z`", ""},
    {"k8sshortname", Format::ShortName, "lower-case letters, digits and `-`, at most 63", ""},
    {"k8slongname", Format::LongName, "lower-case letters, digits, `-` and `.`, at most 253", ""},
    {"int32", Format::Int32, "an integer of 32 bits", ""},
    {"int64", Format::Int64, "an integer of 64 bits", ""},
    {"float", Format::Float, "a number of single precision", ""},
});

const FormatInfo* info_of(Format format) {
  const auto found = std::ranges::find(kFormats, format, &FormatInfo::format);
  return found == kFormats.end() ? nullptr : &*found;
}

/// `name`, dashes aside, is `wanted`.
bool same_name(std::string_view name, std::string_view wanted) {
  std::size_t at = 0;
  for (char c : name) {
    if (c == '-') continue;
    if (at == wanted.size() || wanted[at] != c) return false;
    ++at;
  }
  return at == wanted.size();
}

}  // namespace

Format format_of(std::string_view name) {
  // The two that make up nearly all of the formats in real schemas.
  if (name == "int32") return Format::Int32;
  if (name == "int64") return Format::Int64;
  for (const FormatInfo& each : kFormats) {
    if (same_name(name, each.name)) return each.format;
  }
  return Format::None;
}

std::string_view example_of(Format format) {
  const FormatInfo* found = info_of(format);
  return found == nullptr ? std::string_view() : found->example;
}

bool has_format(Format format, std::string_view text, Patterns& patterns) {
  const FormatInfo* found = info_of(format);
  if (found == nullptr) return true;
  if (format == Format::Hostname && !is_host_size(text)) return false;
  if (format == Format::Ssn && text.size() != 11) return false;
  if (!found->pattern.empty()) {
    return patterns.match(found->pattern, text) == Patterns::Result::Match;
  }
  switch (format) {
    case Format::Uri:
      return is_request_uri(text);
    case Format::Email:
      return is_email(text);
    case Format::Ipv4:
      return is_ip(text) && text.find('.') != std::string_view::npos;
    case Format::Ipv6:
      return is_ip(text) && text.find(':') != std::string_view::npos;
    case Format::Cidr:
      return is_cidr(text);
    case Format::Mac:
      return is_mac(text);
    case Format::Isbn:
      return is_isbn10(text) || is_isbn13(text);
    case Format::Isbn10:
      return is_isbn10(text);
    case Format::Isbn13:
      return is_isbn13(text);
    case Format::CreditCard:
      return is_credit_card(text, patterns);
    case Format::Byte:
      return is_base64(text);
    case Format::Date:
      return is_date(text);
    case Format::Duration:
      return is_duration(text);
    case Format::DateTime:
      return is_date_time(text);
    case Format::ShortName:
      return !why_not_dns_label(text);
    case Format::LongName:
      return !why_not_subdomain(text);
    default:
      return true;
  }
}

}  // namespace trainyard
