#include "schema/pack.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>

#include "schema/pack_format.h"
#include "source/text_equal.h"

namespace trainyard {
namespace {

template <class Record>
std::optional<std::span<const Record>> table(std::string_view image, PackTable where) {
  if (where.offset % alignof(Record) != 0 || where.offset > image.size()) return std::nullopt;
  if (where.count > (image.size() - where.offset) / sizeof(Record)) return std::nullopt;
  const char* start = image.data() + where.offset;
  return std::span(reinterpret_cast<const Record*>(start), where.count);
}

/// Takes the header's word for a table, if the table lies within the image.
template <class Record>
bool take(std::string_view image, PackTable where, std::span<const Record>& out) {
  const auto found = table<Record>(image, where);
  if (found) out = *found;
  return found.has_value();
}

/// `a < b`; most names of fields differ in their first byte, which needs no call.
bool is_before(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a[0] == b[0]) return a < b;
  return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
}

}  // namespace

std::optional<SchemaPack> SchemaPack::open_trusted(std::string_view image) {
  PackHeader header;
  if (image.size() < sizeof header) return std::nullopt;
  if (reinterpret_cast<std::uintptr_t>(image.data()) % alignof(SchemaNode) != 0) {
    return std::nullopt;
  }
  std::memcpy(&header, image.data(), sizeof header);
  if (header.magic != PackHeader::kPackMagic || header.order != PackHeader::kPackOrder ||
      header.size != image.size()) {
    return std::nullopt;
  }
  SchemaPack pack;
  std::span<const char> strings;
  const auto& tables = header.tables;
  if (!take(image, tables[kNodeTable], pack.nodes_) ||
      !take(image, tables[kPropertyTable], pack.properties_) ||
      !take(image, tables[kTextTable], pack.texts_) || !take(image, tables[kIdTable], pack.ids_) ||
      !take(image, tables[kRuleTable], pack.rules_) ||
      !take(image, tables[kKindTable], pack.kinds_) ||
      !take(image, tables[kDefinitionTable], pack.definitions_) ||
      !take(image, tables[kStringTable], strings) || pack.nodes_.empty()) {
    return std::nullopt;
  }
  pack.strings_ = {strings.data(), strings.size()};
  return pack;
}

std::optional<SchemaPack> SchemaPack::open(std::string_view image) {
  auto pack = open_trusted(image);
  if (pack && !pack->indices_in_bounds()) return std::nullopt;
  return pack;
}

std::optional<SchemaId> SchemaPack::property(const SchemaNode& node, std::string_view name) const {
  const auto all = properties(node);
  const auto at = std::lower_bound(
      all.begin(), all.end(), name,
      [this](const SchemaProperty& p, std::string_view n) { return is_before(text(p.name), n); });
  if (at == all.end() || !same_text(text(at->name), name)) return std::nullopt;
  return at->schema;
}

const SchemaKind* SchemaPack::find_in(std::span<const SchemaKind> kinds, std::string_view group,
                                      std::string_view version, std::string_view kind) const {
  // Where kinds were found a short while ago, for objects are of the same few.
  constinit thread_local std::array<std::uint16_t, 32> places{};
  std::uint16_t& place = places[(kind.size() * 5 + group.size()) % places.size()];
  if (place < kinds.size()) {
    const SchemaKind& known = kinds[place];
    const bool same = known.before.size == 0 && same_text(text(known.kind), kind) &&
                      same_text(text(known.group), group) &&
                      same_text(text(known.version), version);
    if (same) return &known;
  }
  const auto order = [&](const SchemaKind& k) {
    if (const int by_group = text(k.group).compare(group)) return by_group;
    if (const int by_version = text(k.version).compare(version)) return by_version;
    return text(k.kind).compare(kind);
  };
  const auto at =
      std::partition_point(kinds.begin(), kinds.end(), [&](const auto& k) { return order(k) < 0; });
  if (at == kinds.end() || order(*at) != 0) return nullptr;
  place = static_cast<std::uint16_t>(at - kinds.begin());
  return &*at;
}

const SchemaKind* SchemaPack::find(std::string_view group, std::string_view version,
                                   std::string_view kind) const {
  return find_in(kinds_, group, version, kind);
}

const SchemaKind* SchemaPack::find(std::string_view api_version, std::string_view kind) const {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return find("", api_version, kind);
  return find(api_version.substr(0, slash), api_version.substr(slash + 1), kind);
}

std::span<const SchemaKind> SchemaPack::older(const SchemaKind& newest) const {
  const bool is_kind = std::less_equal<>()(kinds_.data(), &newest) &&
                       std::less<>()(&newest, kinds_.data() + kinds_.size());
  if (!is_kind) return {};
  const auto first = static_cast<std::size_t>(&newest - kinds_.data()) + 1;
  std::size_t end = first;
  while (end < kinds_.size() && kinds_[end].before.size != 0) ++end;
  return kinds_.subspan(first, end - first);
}

const SchemaKind* SchemaPack::find_definition(std::string_view group, std::string_view version,
                                              std::string_view name) const {
  return find_in(definitions_, group, version, name);
}

}  // namespace trainyard
