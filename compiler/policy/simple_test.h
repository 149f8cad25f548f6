#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// An expression that needs no interpreter: `!has(self.a.replicas)`, `self.a < 1`, `self != ''`,
/// `size(self) > 63`, `!self.a`.
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
  std::vector<std::string_view> fields;  // below `self`
  std::string_view text;                 // that is compared
  std::optional<std::int64_t> integer;   // instead of it
  bool is_size = false;                  // whether the size of the value is compared
  std::optional<bool> boolean;           // that the value is, without a sign

  /// What the expression comes to for the value at `at`; nothing if the interpreter has to judge: a
  /// field on the way is missing, or the value is of another type.
  std::optional<bool> of(View at) const;
};

/// The terms in front of an expression that `&&` joins. Most values fail one of them.
struct SimpleTerms {
  std::vector<SimpleTest> terms;
  bool is_all = false;  // no other term follows

  /// What the expression comes to; nothing if the interpreter has to judge.
  std::optional<bool> of(View at) const;
};

/// No terms if the first one is not simple. The result points into `text`.
SimpleTerms read_simple_terms(std::string_view text);

}  // namespace trainyard
