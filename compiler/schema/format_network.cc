#include <algorithm>
#include <optional>

#include "schema/format_parsers.h"
#include "source/characters.h"

namespace trainyard {
namespace {

bool is_high(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}
bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}
bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}

/// A decimal number up to `limit`, leading zeros let through.
bool is_number_upto(std::string_view text, unsigned limit) {
  if (text.empty() || !all_digits(text)) return false;
  unsigned value = 0;
  for (char c : text) {
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > limit) return false;
  }
  return true;
}

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = part == 3 ? text.size() : text.find('.');
    if (end == std::string_view::npos || !is_number_upto(text.substr(0, end), 255)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// The 16-bit groups of one side of a `::`; nothing when they are malformed. An IPv4 address may
/// stand for the last two.
std::optional<int> ipv6_groups(std::string_view text, bool last_side) {
  int groups = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, end);
    if (group.find('.') != std::string_view::npos) {
      if (!last_side || end != text.size() || !is_ipv4(group)) return std::nullopt;
      return groups + 2;
    }
    if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, is_hex)) {
      return std::nullopt;
    }
    ++groups;
    if (end + 1 == text.size()) return std::nullopt;  // ends with a single `:`
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return groups;
}

bool is_ipv6(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return ipv6_groups(text, true) == 8;
  const auto before = ipv6_groups(text.substr(0, gap), false);
  const auto after = ipv6_groups(text.substr(gap + 2), true);
  return before && after && *before + *after < 8;
}

/// `%` is followed by two hexadecimal digits everywhere.
bool escapes_are_whole(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2])) return false;
  }
  return true;
}

bool in_host(char c) {
  return is_letter(c) || is_digit(c) || is_high(c) || is_one_of(c, "-_.~!$&'()*+,;=:[]<>\"");
}

bool in_user_info(char c) {
  return is_letter(c) || is_digit(c) || is_one_of(c, "-._:~!$&'()*+,;=%@");
}

bool is_host_and_port(std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.rfind(']');
    if (end == std::string_view::npos) return false;
    port = text.substr(end + 1);
    if (!port.empty() && (port[0] != ':' || !all_digits(port.substr(1)))) return false;
    return true;
  }
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && !all_digits(text.substr(colon + 1))) return false;
  return std::ranges::all_of(text, in_host);
}

bool is_authority(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return is_host_and_port(text);
  const std::string_view user = text.substr(0, at);
  return std::ranges::all_of(user, in_user_info) && escapes_are_whole(user) &&
         is_host_and_port(text.substr(at + 1));
}

/// How long the scheme is, 0 without one; nothing when the text starts with a `:`.
std::optional<std::size_t> scheme_size(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_letter(c)) continue;
    if (is_digit(c) || is_one_of(c, "+-.")) {
      if (at == 0) return 0;
      continue;
    }
    if (c != ':') return 0;
    if (at == 0) return std::nullopt;
    return at;
  }
  return 0;
}

bool in_mail_atom(char c) {
  return is_letter(c) || is_digit(c) || is_high(c) || is_one_of(c, "!#$%&'*+-/=?^_`{|}~");
}

/// Atoms joined by single dots.
bool is_dot_atom(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::ranges::all_of(text, [](char c) { return in_mail_atom(c) || c == '.'; });
}

bool is_quoted_local_part(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && ++at == text.size()) return false;
    if (text[at] == '"' && (at == 0 || text[at - 1] != '\\')) return false;
  }
  return true;
}

bool is_plain_address(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at);
  const std::string_view domain = text.substr(at + 1);
  const bool literal = domain.size() > 2 && domain.front() == '[' && domain.back() == ']';
  return (is_dot_atom(local) || is_quoted_local_part(local)) &&
         (literal ? is_ip(domain.substr(1, domain.size() - 2)) : is_dot_atom(domain));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_one_of(text.front(), " \t")) text.remove_prefix(1);
  while (!text.empty() && is_one_of(text.back(), " \t")) text.remove_suffix(1);
  return text;
}

bool is_display_name(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('"')) return is_quoted_local_part(text);
  return std::ranges::all_of(text, [](char c) { return in_mail_atom(c) || is_one_of(c, " \t."); });
}

/// Groups of `width` hexadecimal digits with `separator` between them make 6, 8 or 20 bytes.
bool is_hex_groups(std::string_view text, std::size_t width, char separator) {
  const std::size_t groups = (text.size() + 1) / (width + 1);
  if (groups * (width + 1) != text.size() + 1) return false;
  const std::size_t bytes = groups * width / 2;
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool between = at % (width + 1) == width;
    if (between ? text[at] != separator : !is_hex(text[at])) return false;
  }
  return true;
}

}  // namespace

bool is_request_uri(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty() || std::ranges::any_of(text, control)) return false;
  if (text == "*") return true;
  const auto scheme = scheme_size(text);
  if (!scheme) return false;
  std::string_view rest = *scheme == 0 ? text : text.substr(*scheme + 1);
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) return *scheme != 0;
  if (rest.starts_with("//") && (*scheme != 0 || !rest.starts_with("///"))) {
    rest.remove_prefix(2);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (!is_authority(rest.substr(0, end))) return false;
    rest.remove_prefix(end);
  }
  return escapes_are_whole(rest);
}

bool is_email(std::string_view text) {
  text = trimmed(text);
  if (!text.ends_with('>')) return is_plain_address(text);
  const std::size_t open = text.rfind('<');
  if (open == std::string_view::npos) return false;
  const std::string_view address = text.substr(open + 1, text.size() - open - 2);
  return is_display_name(text.substr(0, open)) && is_plain_address(trimmed(address));
}

bool is_host_size(std::string_view text) {
  if (text.size() > 255) return false;
  std::size_t label = 0;
  for (char c : text) {
    label = c == '.' ? 0 : label + 1;
    if (label > 63) return false;
  }
  return true;
}

bool is_ip(std::string_view text) {
  return is_ipv4(text) || is_ipv6(text);
}

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(slash + 1);
  if (is_ipv4(address)) return is_number_upto(bits, 32);
  return is_ipv6(address) && is_number_upto(bits, 128);
}

bool is_mac(std::string_view text) {
  return is_hex_groups(text, 2, ':') || is_hex_groups(text, 2, '-') || is_hex_groups(text, 4, '.');
}

}  // namespace trainyard
