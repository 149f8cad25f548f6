#pragma once

#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// What an unquoted scalar means to the two families of readers.
struct PlainScalar {
  Kind yaml11 = Kind::String;  // go-yaml v2, PyYAML: `yes` is a boolean, `012` is octal
  Kind yaml12 = Kind::String;  // the core schema of YAML 1.2
  bool same_value = true;      // both readers get the same value, not only the same kind
};

PlainScalar classify_plain(std::string_view text);

/// True when both families read `text`, unquoted, as this very string.
bool plain_is_string(std::string_view text);

}  // namespace trainyard
