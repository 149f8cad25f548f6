#include "emit/ownership.h"

#include <algorithm>

#include "emit/artifact.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

constexpr std::string_view kRecord = "# trainyard: ";
constexpr std::string_view kFleet = "fleet=";
constexpr std::string_view kSource = "source=";
constexpr std::string_view kDigest = " sha256=";
constexpr std::size_t kDigits = 64;
constexpr std::string_view kHex = "0123456789abcdef";

std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '%') {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return out;
}

std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t high = i + 2 < text.size() ? kHex.find(text[i + 1]) : std::string_view::npos;
    const std::size_t low = i + 2 < text.size() ? kHex.find(text[i + 2]) : std::string_view::npos;
    if (text[i] != '%' || high == std::string_view::npos || low == std::string_view::npos) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

/// What every text of ours has in front of its line break.
constexpr std::string_view kHeaderLine = kHeader.substr(0, kHeader.size() - 1);
constexpr std::string_view kUnmerged =
    "# trainyard: unmerged. Merge the specs, and run `trainyard render`.\n";

/// The record of a text, with its line break; "" when it has none.
std::string_view record_of(std::string_view text) {
  if (!text.starts_with(kHeader)) return {};
  text.remove_prefix(kHeader.size());
  if (!text.starts_with(kRecord)) return {};
  const std::string_view line = text.substr(0, text.find('\n') + 1);
  if (line.size() < kRecord.size() + kDigest.size() + kDigits + 1) return {};
  const std::string_view words = line.substr(kRecord.size());
  if (!words.starts_with(kSource) && !words.starts_with(kFleet)) return {};
  const std::string_view end = line.substr(line.size() - kDigest.size() - kDigits - 1);
  return end.starts_with(kDigest) ? line : std::string_view();
}

std::string digest_without(std::string_view text, std::string_view record) {
  Sha256 hash;
  hash.update(text.substr(0, kHeader.size()));
  hash.update(text.substr(kHeader.size() + record.size()));
  return hash.finish_hex();
}

}  // namespace

std::string owned_beginning(std::string_view source, std::string_view fleet) {
  std::string text(kHeader);
  text.append(kRecord);
  if (!fleet.empty()) text.append(kFleet).append(escaped(fleet)).append(" ");
  text.append(kSource).append(escaped(source)).append(kDigest).append(kDigits, '0');
  return text += '\n';
}

void seal(std::string& text) {
  const std::string_view record = record_of(text);
  const std::string digest = digest_without(text, record);
  text.replace(kHeader.size() + record.size() - kDigits - 1, kDigits, digest);
}

Owner owner_of(std::string_view text) {
  const std::string changed =
      text.find('\r') == std::string_view::npos ? std::string() : with_plain_breaks(text);
  if (!changed.empty()) text = changed;
  Owner owner;
  if (!text.starts_with(kHeader)) return owner;
  const std::string_view record = record_of(text);
  owner.mark = record.empty() ? Owner::Mark::Header : Owner::Mark::Recorded;
  if (record.empty()) return owner;
  const std::size_t tail = kDigest.size() + kDigits + 1;
  std::string_view words = record.substr(kRecord.size(), record.size() - kRecord.size() - tail);
  if (words.starts_with(kFleet)) {
    const std::size_t end = std::min(words.find(' '), words.size());
    owner.fleet = plain(words.substr(kFleet.size(), end - kFleet.size()));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (words.starts_with(kSource)) owner.source = plain(words.substr(kSource.size()));
  owner.intact =
      record.substr(record.size() - kDigits - 1, kDigits) == digest_without(text, record);
  return owner;
}

bool has_record(std::string_view text) {
  if (!text.starts_with(kHeaderLine)) return false;
  const std::size_t end = std::min(text.find('\n', kHeader.size() + 1), text.size() - 1);
  return !record_of(with_plain_breaks(text.substr(0, end + 1))).empty();
}

void mark_unmerged(std::string& text) {
  const std::size_t end = kHeader.size() + record_of(text).size();
  if (!std::string_view(text).substr(end).starts_with(kUnmerged)) text.insert(end, kUnmerged);
  seal(text);
}

std::string_view unmerged_mark(std::string_view text) {
  if (!text.starts_with(kHeaderLine)) return {};
  for (int above = 0; above < 2; ++above) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (text.empty()) return {};
  }
  const std::string_view line = kUnmerged.substr(0, kUnmerged.size() - 1);
  return text.starts_with(line) ? text.substr(0, line.size()) : std::string_view();
}

std::string without_record(std::string_view text) {
  const std::string_view record = record_of(text);
  std::string out(text.substr(0, record.empty() ? 0 : kHeader.size()));
  return out.append(text.substr(out.size() + record.size()));
}

std::string with_plain_breaks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

}  // namespace trainyard
