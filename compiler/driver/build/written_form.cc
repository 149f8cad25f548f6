#include "driver/build/written_form.h"

#include <vector>

#include "driver/session/surroundings.h"
#include "emit/field_order.h"
#include "manifest/kinds.h"
#include "schema/server_form.h"

namespace trainyard {

void into_written_form(Session& session, const ClusterDocument* cluster, ObjectSet& objects,
                       Origins& origins) {
  const Versions versions = versions_for(session, cluster);
  const OriginId origin = origins.add(
      OriginKind::Constant, {},
      "the API server's default, which it adds to a value that one field manager owns as a whole");
  const std::vector<SchemaSource> schemas = session.schema_sources();
  for (const Object& object : objects.objects) {
    const FoundKind found = find_kind(schemas, object.api_version, object.kind, versions);
    if (found.kind != nullptr) {
      into_server_form(*found.source, *found.kind, objects.tree, object.root, origin);
    }
    into_written_form(objects.tree, object.root);
  }
}

}  // namespace trainyard
