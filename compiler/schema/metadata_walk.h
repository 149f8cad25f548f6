#pragma once

#include <string_view>

#include "schema/names.h"
#include "schema/subject.h"

namespace trainyard {

/// What the metadata of an object must be.
struct MetadataRules {
  bool embedded = false;  // inside another object, or a file: no name needed
  bool namespaced = true;
  Fault (*why_not_name)(std::string_view) = nullptr;

  static MetadataRules of(const SchemaPack& pack, const SchemaKind& kind);
};

/// Checks what makes a map an object of its own: apiVersion, kind and metadata.
class MetadataWalk {
 public:
  MetadataWalk(const Subject& subject, const MetadataRules& rules);

  void head(const SchemaNode& schema, const Frame& at) const;

 private:
  using NameRule = Fault (*)(std::string_view);

  void type_word(const Frame& at, std::string_view key) const;
  void metadata(const SchemaNode& schema, const Frame& at) const;
  void text(const Frame& meta, std::string_view key, NameRule rule) const;
  void name(const Frame& meta, bool required) const;
  void generate_name(const Frame& meta) const;
  void name_space(const Frame& meta) const;
  void keys(const Frame& meta, std::string_view key, NameRule rule) const;
  bool is_empty(const Frame& meta, std::string_view key) const;

  const Subject subject_;
  const MetadataRules rules_;
};

}  // namespace trainyard
