#include "cel/addresses.h"

#include <array>
#include <charconv>
#include <cstring>

#include "source/number_text.h"

namespace trainyard::cel {
namespace {

/// Decimal without leading zeros, at most `most`.
bool read_decimal(std::string_view text, unsigned most, unsigned& value) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text[0] == '0')) return false;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() && value <= most;
}

bool read_v4(std::string_view text, unsigned char* bytes) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    if ((dot == text.npos) != (i == 3)) return false;
    unsigned value = 0;
    if (!read_decimal(text.substr(0, dot), 255, value)) return false;
    bytes[i] = static_cast<unsigned char>(value);
    if (i < 3) text.remove_prefix(dot + 1);
  }
  return true;
}

/// The groups of one side of `::`. Their number of bytes, or nothing.
std::optional<std::size_t> read_groups(std::string_view text, unsigned char* bytes) {
  std::size_t size = 0;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == text.npos && group.find('.') != group.npos) {
      if (size > 12 || !read_v4(group, bytes + size)) return std::nullopt;
      return size + 4;
    }
    const auto value = read_number<unsigned>(group, 16);
    if (!value || group.size() > 4 || size > 14) return std::nullopt;
    bytes[size++] = static_cast<unsigned char>(*value >> 8);
    bytes[size++] = static_cast<unsigned char>(*value);
    if (colon == text.npos) break;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
  }
  return size;
}

bool read_v6(std::string_view text, unsigned char* bytes) {
  const std::size_t gap = text.find("::");
  if (gap == text.npos) return read_groups(text, bytes) == std::size_t{16};
  std::array<unsigned char, 16> tail{};
  const auto front = read_groups(text.substr(0, gap), bytes);
  if (!front) return false;
  const auto back = read_groups(text.substr(gap + 2), tail.data());
  if (!back || *front + *back > 14) return false;  // `::` stands for one group at least
  std::memset(bytes + *front, 0, 16 - *front);
  std::memcpy(bytes + 16 - *back, tail.data(), *back);
  return true;
}

bool is_mapped_v4(const Address& a) {
  constexpr std::array<unsigned char, 12> prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return a.size == 16 && std::memcmp(a.bytes, prefix.data(), prefix.size()) == 0;
}

unsigned group_at(const Address& a, int index) {
  return static_cast<unsigned>(a.bytes[2 * index]) << 8 | a.bytes[2 * index + 1];
}

void append_hex(unsigned value, std::string& out) {
  std::array<char, 4> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  out.append(digits.data(), written.ptr);
}

struct Run {
  int first = -1;
  int size = 0;
};

/// The longest run of zero groups, the first of several; one alone is not shortened.
Run longest_zeros(const Address& a) {
  Run best;
  for (int i = 0; i < 8;) {
    int end = i;
    while (end < 8 && group_at(a, end) == 0) ++end;
    if (end - i > best.size && end - i > 1) best = {i, end - i};
    i = end + 1;
  }
  return best;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  Address address;
  const bool v6 = text.find(':') != text.npos;
  address.size = v6 ? 16 : 4;
  if (v6 ? !read_v6(text, address.bytes) : !read_v4(text, address.bytes)) return std::nullopt;
  if (is_mapped_v4(address)) return std::nullopt;
  return address;
}

std::optional<Address> parse_network(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == text.npos) return std::nullopt;
  auto network = parse_address(text.substr(0, slash));
  unsigned prefix = 0;
  if (!network || !read_decimal(text.substr(slash + 1), network->size * 8U, prefix)) {
    return std::nullopt;
  }
  network->prefix = static_cast<std::uint8_t>(prefix);
  return network;
}

std::string address_text(const Address& address) {
  std::string text;
  if (address.size == 4) {
    for (int i = 0; i < 4; ++i) {
      if (i > 0) text += '.';
      text += std::to_string(address.bytes[i]);
    }
    return text;
  }
  const Run zeros = longest_zeros(address);
  for (int i = 0; i < 8; ++i) {
    if (i == zeros.first) {
      text += "::";
      i += zeros.size - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    append_hex(group_at(address, i), text);
  }
  return text;
}

Address masked(const Address& network) {
  Address result = network;
  for (unsigned i = 0; i < network.size; ++i) {
    const unsigned kept = network.prefix > i * 8 ? network.prefix - i * 8 : 0;
    if (kept >= 8) continue;
    result.bytes[i] = static_cast<unsigned char>(result.bytes[i] & (0xff00U >> kept));
  }
  return result;
}

bool contains(const Address& network, const Address& other) {
  if (network.size != other.size) return false;
  Address cut = other;
  cut.prefix = network.prefix;
  return std::memcmp(masked(cut).bytes, masked(network).bytes, network.size) == 0;
}

}  // namespace trainyard::cel
