#include "driver/plan/field_owner.h"

#include <algorithm>
#include <string>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether `fields`, as managedFields has them, own the field at a path.
/// kubernetes-sigs/structured-merge-diff fieldpath/serialize-pe.go
bool owns(View fields, std::string_view path) {
  while (fields && !path.empty()) {
    const PathStep step = take_step(path);
    View next = fields["f:" + std::string(step.name)];
    if (!next && step.in_brackets) {
      const std::string value = ":\"" + std::string(step.name) + "\"";
      for (const View entry : Items(fields)) {
        if (entry.key().starts_with("k:") && entry.key().find(value) != std::string_view::npos) {
          next = entry;
        }
      }
    }
    if (!next) return fields->is_map() && fields->size == 0;  // it owns all below
    fields = next;
  }
  return static_cast<bool>(fields);
}

}  // namespace

PathStep take_step(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.starts_with('[')) {
    const std::size_t end = std::min(path.find(']'), path.size());
    const PathStep step{path.substr(1, end - 1), true};
    path.remove_prefix(std::min(end + 1, path.size()));
    return step;
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const PathStep step{path.substr(0, end), false};
  path.remove_prefix(end);
  return step;
}

std::vector<FieldOwner> owners_of(View live, std::string_view path) {
  std::vector<FieldOwner> owners;
  for (const View entry : items_at(get(live, "metadata"), "managedFields")) {
    if (!owns(get(entry, "fieldsV1"), path)) continue;
    owners.push_back({string_at(entry, "manager"), get(entry, "time").text(),
                      string_at(entry, "operation") == "Apply"});
  }
  return owners;
}

bool is_person(const FieldOwner& owner) {
  // kubernetes/kubectl pkg/cmd: `kubectl-edit`, `kubectl-patch`, `kubectl-client-side-apply`
  return owner.manager == "kubectl" || owner.manager.starts_with("kubectl-");
}

}  // namespace trainyard
