#include "schema/field_cache.h"

#include <algorithm>

namespace trainyard {

SchemaId FieldCache::look_up(const SchemaPack& pack, const SchemaNode& node, std::string_view name,
                             Entry& entry) {
  const auto all = pack.properties(node);
  const auto before = [&pack](const SchemaProperty& p, std::string_view n) {
    return pack.text(p.name) < n;
  };
  const auto at = std::lower_bound(all.begin(), all.end(), name, before);
  if (at == all.end() || pack.text(at->name) != name) return kNoLimit;
  entry = {node.properties.first, at->name, at->schema};
  return at->schema;
}

}  // namespace trainyard
