#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::testing {

struct ProtoField;

/// A message in protobuf's text format, as far as the suites use it.
struct ProtoMessage {
  std::vector<ProtoField> fields;

  /// The first field of that name; nothing when there is none.
  const ProtoField* find(std::string_view name) const;
  const ProtoMessage& message(std::string_view name) const;  // empty when there is none
  std::string text(std::string_view name) const;             // "" when there is none
};

struct ProtoField {
  std::string name;  // `[type.googleapis.com/x]` for an extension or the content of an Any
  std::string text;  // of a scalar, unescaped
  ProtoMessage message;
};

ProtoMessage parse_textproto(std::string_view text);

}  // namespace trainyard::testing
