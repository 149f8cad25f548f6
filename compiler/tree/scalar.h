#pragma once

#include <cstdint>
#include <string_view>

#include "source/arena.h"
#include "tree/tree.h"

namespace trainyard {

/// What only YAML 1.1 readers know: a date, the merge key `<<`, the default key `=`.
enum class Special : std::uint8_t { None, Timestamp, Merge, Default };

/// What an unquoted scalar means to the readers that matter. The three never agree on everything:
/// `y` is a boolean to go-yaml v2 only, `1:30` an integer to PyYAML only, `1e3` a number to all but
/// PyYAML.
struct PlainScalar {
  Kind yaml11 = Kind::String;       // PyYAML (yaml/pyyaml lib/yaml/resolver.py)
  Kind kubernetes = Kind::String;   // go-yaml v2 (kubernetes-sigs/yaml goyaml.v2/resolve.go)
  Kind yaml12 = Kind::String;       // the core schema of YAML 1.2
  Special special = Special::None;  // and then `yaml11` is String
  bool same_value = true;           // all readers that see an integer see the same one

  /// Some reader takes the text for another value than another reader does.
  bool ambiguous() const {
    return yaml11 != yaml12 || kubernetes != yaml12 || special != Special::None || !same_value;
  }
};

PlainScalar classify_plain(std::string_view text);

/// True when no reader takes `text` for anything but a string, should it stand unquoted. Says
/// nothing about whether it can stand unquoted: see `plain_is_string`.
bool resolves_to_string(std::string_view text);

/// True when all readers take `text`, unquoted as a value or key of a block collection, for this
/// very string: it resolves to a string and holds nothing that YAML would take for syntax. (A key
/// has to be shorter than 1024 characters besides, quoted or not.)
bool plain_is_string(std::string_view text);

/// The value of a word that is a boolean to some reader.
bool true_word(std::string_view text);

/// The integer in decimal, without `+`, needless zeros and underscores: `0x1F` is 31, `012` is 10
/// as in YAML 1.1. A view into `text` where possible, else interned. Integers written in other
/// bases that do not fit 64 bits stay as they are.
std::string_view decimal_text(std::string_view text, Arena& arena);

/// The text of a number without `+`, underscores and needless zeros.
std::string_view float_text(std::string_view text, Arena& arena);

}  // namespace trainyard
