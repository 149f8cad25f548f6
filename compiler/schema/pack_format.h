#pragma once

#include <array>
#include <cstdint>

#include "schema/pack.h"

namespace trainyard {

/// One table of a pack image.
struct PackTable {
  std::uint32_t offset = 0;  // bytes from the start of the image
  std::uint32_t count = 0;   // records; bytes for the string area
};

enum PackTableIndex : std::uint8_t {
  kNodeTable,
  kPropertyTable,
  kTextTable,
  kIdTable,
  kRuleTable,
  kKindTable,
  kDefinitionTable,
  kStringTable,
  kPackTables,
};

/// The head of a pack image. Integers are in the byte order of the machine that made it; `order`
/// tells a reader of the other order that the image is not for it.
struct PackHeader {
  std::array<char, 8> magic = kPackMagic;
  std::uint32_t order = kPackOrder;
  std::uint32_t size = 0;  // of the whole image
  std::array<PackTable, kPackTables> tables;

  /// Changes with every change of the layout.
  static constexpr std::array<char, 8> kPackMagic = {'T', 'Y', 'P', 'A', 'C', 'K', '0', '3'};
  static constexpr std::uint32_t kPackOrder = 0x01020304;
};

// The image is these structures themselves: their layout is the format, without hidden padding.
static_assert(sizeof(SchemaNode) == 176 && alignof(SchemaNode) == 8);
static_assert(sizeof(SchemaProperty) == 12);
static_assert(sizeof(SchemaRule) == 44);
static_assert(sizeof(SchemaKind) == 56);
static_assert(sizeof(PackHeader) == 80);

}  // namespace trainyard
