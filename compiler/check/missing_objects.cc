#include "check/missing_objects.h"

#include <algorithm>
#include <vector>

#include "check/typos.h"
#include "manifest/inventory.h"
#include "tree/typed_fields.h"

namespace trainyard {

Diagnostic& MissingObject::label(Diagnostic& told, CheckContext& context) const {
  if (similar) told.also(context.place(get(get(similar, "metadata"), "name")), "is it this one?");
  return told;
}

MissingObject missing_object(std::string_view group, std::string_view kind,
                             std::string_view name_space, View at, std::string_view name,
                             CheckContext& context) {
  const Inventory* around = name.empty() ? nullptr : context.inventory();
  if (around == nullptr || !around->has_any(group, kind)) return {};
  if (around->has(group, kind, name_space, name)) return {};
  const std::vector<View> others = around->all(group, kind);
  const bool is_stated = others.empty();
  // Of its own kind, an object is no other one.
  const View own = context.object();
  const auto is_beside = [&](View other) {
    return other->span.file == at->span.file && other->span.begin != own->span.begin;
  };
  View similar = find_in_other_namespace(*around, group, kind, name_space, name);
  if (!similar) similar = find_similarly_named(*around, group, kind, name_space, name);
  return {is_stated || similar || std::ranges::any_of(others, is_beside), similar};
}

}  // namespace trainyard
