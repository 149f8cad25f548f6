#pragma once

#include <span>
#include <string_view>

namespace trainyard {

/// What a keyword of a schema holds.
enum class Holds : unsigned char { Value, Schema, SchemaList, SchemaMap };

struct KeywordInfo {
  std::string_view name;
  Holds holds = Holds::Value;
};

/// The keywords of compact schemas, in the order in which files have them.
std::span<const KeywordInfo> compact_keywords();

}  // namespace trainyard
