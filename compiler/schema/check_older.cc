#include <vector>

#include "schema/walk.h"

// A kind that has one name in several releases of its operator: what is wrong for the newest may
// have been right before.

namespace trainyard {

/// Says, of a field that is unknown or of another type, which older releases have it.
void Walk::note_older(Violation& violation, const Frame& at) const {
  if (kind_ == nullptr || kind_->before.size != 0) return;
  std::string_view before;
  for (const SchemaKind& older : pack_.older(*kind_)) {
    const SchemaId id = schema_at(older.schema, at);
    if (id == kNoLimit) continue;
    if (id != kAnySchema && !type_fits(pack_[id], tree_[at.node])) continue;
    before = pack_.text(older.before);
    break;
  }
  if (before.empty()) return;
  const std::size_t space = before.find(' ');
  const std::string name(before.substr(0, space));
  if (name == "kubernetes") {
    violation.note = "Kubernetes before " + std::string(before.substr(space + 1)) +
                     " may take this; say in a Cluster which it is (`kubernetes: ...`) and give "
                     "that with `--cluster`";
    return;
  }
  violation.note = name + " before " + std::string(before.substr(space + 1)) +
                   " takes this; for such a release name it in a Cluster (`operators: {" + name +
                   ": ...}`) and give that with `--cluster`";
}

/// The schema of the same place below another root; kNoLimit when there is none.
SchemaId Walk::schema_at(SchemaId root, const Frame& at) const {
  if (at.up == nullptr) return root;
  const SchemaId above = schema_at(root, *at.up);
  if (above == kNoLimit || above == kAnySchema) return above;
  const SchemaNode& schema = pack_[above];
  if (at.in_list()) return schema.items;
  const auto property = pack_.property(schema, tree_[at.node].key);
  return property.value_or(schema.additional);
}

}  // namespace trainyard
