#include "tree/utf8.h"

namespace trainyard {
namespace {

constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};

std::uint32_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC0) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF8 ? 4 : 0;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::uint32_t length = sequence_length(lead);
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {lead, 1, true};
  std::uint32_t value = lead & (0xFFu >> (length + 1));
  for (std::uint32_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    value = value << 6 | (byte & 0x3Fu);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[length] || value > 0x10FFFF || surrogate) return {};
  return {value, length, true};
}

bool is_utf8_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const CodePoint next = decode_utf8(bytes);
    if (!next.valid || next.value == 0) return false;
    bytes.remove_prefix(next.length);
  }
  return true;
}

}  // namespace trainyard
