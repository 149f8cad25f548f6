#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/pack.h"

namespace trainyard {

/// A field as a program reads it. Values are JSON.
struct FieldFacts {
  std::string name;
  std::string type;
  bool required = false;
  std::string description;
  std::vector<std::string> allowed;
  std::string default_value;  // "" when there is none
};

/// The help text for one field, or why there is none.
struct FieldHelp {
  std::string text;
  std::string path;  // as it is written in full, `spec.storage.*.claim`
  FieldFacts facts;  // of the field; its name is the last step of the path
  std::vector<std::pair<std::string, std::string>> limits;  // `at least` and `1`
  std::vector<FieldFacts> fields;                           // those below it
  std::string error;  // "`spec` has no field `netwrok`: did you mean `network`?"
  bool ok() const { return error.empty(); }
};

/// What a field is for: its type, description, allowed values, default and the fields below it.
///
/// `path` is dotted (`spec.network`); empty for the whole kind. Lists are entered without saying so
/// (`spec.containers.image`), `[]`, `[0]` and `[name]` are understood and mean the same; below a
/// map any one step is a key.
FieldHelp describe_field(const SchemaPack& pack, const SchemaKind& kind, std::string_view path);

/// A type in a few words: "string", "list of maps", "map of quantities".
std::string type_phrase(const SchemaPack& pack, SchemaId schema);

}  // namespace trainyard
