#include "schema/older_release.h"

#include <string>

#include "schema/value_type.h"

// A kind that has one name in several releases of its operator: what is wrong for the newest may
// have been right before.

namespace trainyard {
namespace {

/// The schema of the same place below another root; kNoLimit when there is none.
SchemaId schema_at(const Subject& subject, SchemaId root, const Frame& at) {
  if (at.up == nullptr) return root;
  const SchemaId above = schema_at(subject, root, *at.up);
  if (above == kNoLimit || above == kAnySchema) return above;
  const SchemaNode& schema = subject.pack[above];
  if (at.in_list()) return schema.items;
  const auto property = subject.pack.property(schema, subject.tree[at.node].key);
  return property.value_or(schema.additional);
}

}  // namespace

void note_older_release(const Subject& subject, Violation& violation, const Frame& at) {
  if (subject.kind == nullptr || subject.kind->before.size != 0) return;
  std::string_view before;
  for (const SchemaKind& older : subject.pack.older(*subject.kind)) {
    const SchemaId id = schema_at(subject, older.schema, at);
    if (id == kNoLimit) continue;
    if (id != kAnySchema && !type_fits(subject.pack[id], subject.tree[at.node])) continue;
    before = subject.pack.text(older.before);
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

}  // namespace trainyard
