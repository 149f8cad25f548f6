#include "schema/pack_tables.h"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "schema/pack_format.h"

namespace trainyard {
namespace {

template <class Record>
std::string bytes_of(const Record* records, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<Record>);
  return {reinterpret_cast<const char*>(records), count * sizeof(Record)};
}

template <class Table>
void put(const Table& table, PackTableIndex which, PackHeader& header, std::string& image) {
  image.resize((image.size() + 7) / 8 * 8);
  header.tables[which] = {static_cast<std::uint32_t>(image.size()),
                          static_cast<std::uint32_t>(table.size())};
  if (!table.empty()) image += bytes_of(table.data(), table.size());
}

}  // namespace

PackTables::PackTables() {
  node(SchemaNode{});
}

PackText PackTables::text(std::string_view text) {
  if (text.empty()) return {};
  const auto offset = static_cast<std::uint32_t>(strings_.size());
  const auto [at, added] = text_index_.try_emplace(std::string(text), offset);
  if (added) strings_ += text;
  return {at->second, static_cast<std::uint32_t>(text.size())};
}

template <class Record>
PackRange PackTables::range(const std::vector<Record>& list, std::vector<Record>& table,
                            Index& index) {
  if (list.empty()) return {};
  const auto first = static_cast<std::uint32_t>(table.size());
  const auto [at, added] = index.try_emplace(bytes_of(list.data(), list.size()), first);
  if (added) table.insert(table.end(), list.begin(), list.end());
  return {at->second, static_cast<std::uint32_t>(list.size())};
}

PackRange PackTables::texts(const std::vector<PackText>& list) {
  return range(list, texts_, text_lists_);
}

PackRange PackTables::ids(const std::vector<SchemaId>& list) {
  return range(list, ids_, id_lists_);
}

PackRange PackTables::rules(const std::vector<SchemaRule>& list) {
  return range(list, rules_, rule_lists_);
}

PackRange PackTables::properties(std::vector<SchemaProperty> list) {
  std::sort(list.begin(), list.end(),
            [this](const auto& a, const auto& b) { return view(a.name) < view(b.name); });
  return range(list, properties_, property_lists_);
}

SchemaId PackTables::node(const SchemaNode& node) {
  const auto id = static_cast<SchemaId>(nodes_.size());
  const auto [at, added] = node_index_.try_emplace(bytes_of(&node, 1), id);
  if (added) nodes_.push_back(node);
  return at->second;
}

SchemaId PackTables::reserve() {
  nodes_.emplace_back();
  return static_cast<SchemaId>(nodes_.size() - 1);
}

void PackTables::sort(std::vector<SchemaKind>& kinds) const {
  std::sort(kinds.begin(), kinds.end(), [this](const SchemaKind& a, const SchemaKind& b) {
    const auto place = [this](const SchemaKind& kind) {
      return std::tuple(view(kind.group), view(kind.version), view(kind.kind));
    };
    if (place(a) != place(b)) return place(a) < place(b);
    // The newest first, and then the latest: `trainer 2.10` is longer than `trainer 2.9`.
    const std::string_view x = view(a.before);
    const std::string_view y = view(b.before);
    if (x.empty() || y.empty()) return x.empty() && !y.empty();
    return x.size() != y.size() ? x.size() > y.size() : x > y;
  });
}

std::string PackTables::image(std::vector<SchemaKind> kinds,
                              std::vector<SchemaKind> definitions) const {
  sort(kinds);
  sort(definitions);
  PackHeader header;
  std::string image(sizeof header, '\0');
  put(nodes_, kNodeTable, header, image);
  put(properties_, kPropertyTable, header, image);
  put(texts_, kTextTable, header, image);
  put(ids_, kIdTable, header, image);
  put(rules_, kRuleTable, header, image);
  put(kinds, kKindTable, header, image);
  put(definitions, kDefinitionTable, header, image);
  put(strings_, kStringTable, header, image);
  header.size = static_cast<std::uint32_t>(image.size());
  image.replace(0, sizeof header, bytes_of(&header, 1));
  return image;
}

}  // namespace trainyard
