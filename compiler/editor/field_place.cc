#include "editor/field_place.h"

#include "driver/session/config.h"

namespace trainyard {
namespace {

constexpr std::string_view kOurs = "trainyard/v1alpha1";

void find_kind(Session& session, std::string_view file, const Outline& outline,
               std::uint32_t document, FieldPlace& place) {
  std::string_view api_version = outline.heading(document, "apiVersion");
  std::string_view kind = outline.heading(document, "kind");
  if (kind.empty() && file.substr(file.rfind('/') + 1) == kConfigName) {
    api_version = kOurs;
    kind = "Config";
  }
  for (const SchemaSource& source : session.schema_sources()) {
    place.kind = source.pack.find(api_version, kind);
    if (place.kind == nullptr) continue;
    place.pack = &source.pack;
    place.schema = place.kind->schema;
    return;
  }
}

/// A key with characters that are none of a plain step.
bool is_plain(std::string_view key) {
  return key.find_first_of(".[]/ ") == key.npos;
}

}  // namespace

FieldPlace field_place(Session& session, std::string_view file, const Outline& outline,
                       std::uint32_t node) {
  FieldPlace place;
  find_kind(session, file, outline, outline.document_of(node), place);
  if (place.pack == nullptr) return place;
  const SchemaPack& pack = *place.pack;
  for (const std::uint32_t step : outline.path(node)) {
    const SchemaNode& above = pack[place.schema];
    if (outline[step].kind == OutlineNode::Kind::Item) {
      place.schema = above.items == kNoLimit ? kAnySchema : above.items;
      place.path += "[]";
      continue;
    }
    const std::string_view key = outline.key(step);
    const auto property = pack.property(above, key);
    place.schema = property.value_or(above.additional == kNoLimit ? kAnySchema : above.additional);
    if (is_plain(key)) {
      place.path += (place.path.empty() ? "" : ".") + std::string(key);
    } else {
      place.path += "[\"" + std::string(key) + "\"]";
    }
  }
  return place;
}

}  // namespace trainyard
