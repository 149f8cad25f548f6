#include "schema/keywords.h"

namespace trainyard {

std::span<const KeywordInfo> compact_keywords() {
  static constexpr KeywordInfo kKeywords[] = {
      {"$ref"},
      {"x-trainyard-ref"},
      {"type"},
      {"format"},
      {"nullable"},
      {"x-kubernetes-int-or-string"},
      {"x-kubernetes-preserve-unknown-fields"},
      {"x-kubernetes-embedded-resource"},
      {"enum"},
      {"pattern"},
      {"minimum"},
      {"exclusiveMinimum"},
      {"maximum"},
      {"exclusiveMaximum"},
      {"multipleOf"},
      {"minLength"},
      {"maxLength"},
      {"minItems"},
      {"maxItems"},
      {"uniqueItems"},
      {"minProperties"},
      {"maxProperties"},
      {"default"},
      {"x-trainyard-generated"},
      {"x-kubernetes-map-type"},
      {"x-kubernetes-list-type"},
      {"x-kubernetes-list-map-keys"},
      {"x-kubernetes-patch-strategy"},
      {"x-kubernetes-patch-merge-key"},
      {"x-kubernetes-validations"},
      {"required"},
      {"allOf", Holds::SchemaList},
      {"anyOf", Holds::SchemaList},
      {"oneOf", Holds::SchemaList},
      {"not", Holds::Schema},
      {"items", Holds::Schema},
      {"additionalProperties", Holds::Schema},
      {"properties", Holds::SchemaMap},
      {"$defs", Holds::SchemaMap},
  };
  return kKeywords;
}

}  // namespace trainyard
