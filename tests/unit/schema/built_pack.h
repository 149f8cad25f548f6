#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/pack_builder.h"
#include "schema/schema_check.h"

namespace trainyard::testing {

/// A pack made of a few lines of schema, with the image that it looks into.
class BuiltPack {
 public:
  /// The schema of the kind `K` of `test.io/v1`.
  explicit BuiltPack(std::string_view schema, bool namespaced = true);
  BuiltPack(const BuiltPack&) = delete;
  BuiltPack& operator=(const BuiltPack&) = delete;

  const SchemaPack& pack() const { return pack_; }
  const SchemaKind& kind() const { return pack_.kinds().front(); }
  SchemaId id() const { return kind().schema; }

  /// Violations of a YAML value, each as `path: message`; warnings start with `warning: `.
  std::vector<std::string> faults(std::string_view yaml) const;
  /// As `faults`, of a whole object.
  std::vector<std::string> object_faults(std::string_view yaml) const;
  bool accepts(std::string_view yaml) const { return faults(yaml).empty(); }

 private:
  std::string image_;
  SchemaPack pack_;
};

using Lines = std::vector<std::string>;

}  // namespace trainyard::testing
