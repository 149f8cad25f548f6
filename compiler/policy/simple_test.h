#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// An expression that needs no interpreter: `has(self.replicas)`, `!has(self.replicas)`,
/// `self < 1`, `self != ''`.
struct SimpleTest {
  enum class Sign : std::uint8_t {
    Has,
    Lacks,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual
  };
  Sign sign = Sign::Has;
  std::string_view text;                // a field, or the text that is compared
  std::optional<std::int64_t> integer;  // that is compared

  /// What the expression comes to for the value at `at`; nothing if the value is of another type,
  /// which the interpreter judges.
  std::optional<bool> of(View at) const;
};

/// Nothing for any other expression. The result points into `text`.
std::optional<SimpleTest> read_simple_test(std::string_view text);

}  // namespace trainyard
