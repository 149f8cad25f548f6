// The table of pod templates against the schemas in the program: nothing that looks like a pod spec
// is missing, and every path leads to one.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "manifest/job.h"
#include "manifest/pod_templates.h"
#include "schema/pack.h"

using namespace trainyard;

namespace {

/// What stands below a schema, one step at a time.
class Schemas {
 public:
  const SchemaPack& pack = SchemaPack::builtin();

  std::optional<SchemaId> at(SchemaId id, std::string_view step) const {
    const bool items = step.ends_with("[]");
    if (items) step.remove_suffix(2);
    if (step == "*") return child(pack[id].additional);
    const auto property = pack.property(pack[id], step);
    if (!property || !items) return property;
    return child(pack[*property].items);
  }

  std::optional<SchemaId> at_path(SchemaId id, std::string_view path) const {
    while (!path.empty()) {
      const std::size_t dot = std::min(path.find('.'), path.size());
      const auto next = at(id, path.substr(0, dot));
      if (!next) return std::nullopt;
      id = *next;
      path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return id;
  }

  /// Containers with images are what makes a map a pod spec.
  bool is_pod_spec(SchemaId id) const {
    const auto containers = at(id, "containers[]");
    return containers && at(*containers, "image") && at(*containers, "command");
  }

 private:
  static std::optional<SchemaId> child(SchemaId id) {
    return id == kNoLimit ? std::nullopt : std::optional(id);
  }
};

/// Paths of the pod specs below a schema. Schemas may hold themselves, and most hold no pod: those
/// are visited once.
class Walk {
 public:
  Walk(const Schemas& schemas, std::set<std::string>& found) : schemas_(schemas), found_(found) {}

  bool visit(SchemaId id, const std::string& path) {
    if (schemas_.is_pod_spec(id)) {
      found_.insert(path);
      return true;
    }
    if (!without_.insert(id).second) return false;
    bool any = false;
    const SchemaNode& node = schemas_.pack[id];
    for (const SchemaProperty& property : schemas_.pack.properties(node)) {
      const std::string_view name = schemas_.pack.text(property.name);
      if (path.empty() && name == "status") continue;
      any |= step(property.schema, path + (path.empty() ? "" : ".") + std::string(name));
    }
    if (node.additional != kNoLimit) any |= step(node.additional, path + ".*");
    if (any) without_.erase(id);
    return any;
  }

 private:
  bool step(SchemaId id, const std::string& path) {
    const SchemaId items = schemas_.pack[id].items;
    return items == kNoLimit ? visit(id, path) : visit(items, path + "[]");
  }

  const Schemas& schemas_;
  std::set<std::string>& found_;
  std::set<SchemaId> without_;
};

template <class Rows>
std::set<std::string> paths_of(const Rows& rows, std::string_view group, std::string_view kind) {
  std::set<std::string> paths;
  for (const auto& row : rows) {
    if (row.group != group || row.kind != kind) continue;
    paths.insert(std::string(row.path) + (row.path.empty() ? "spec" : ".spec"));
  }
  return paths;
}

bool is_excepted(std::string_view group, std::string_view kind) {
  return std::ranges::any_of(podless_kinds(), [&](const PodlessKind& row) {
    return row.group == group && row.kind == kind;
  });
}

}  // namespace

TEST_CASE("all that looks like a pod spec in the schemas is in the table of pod templates") {
  const Schemas schemas;
  for (const SchemaKind& kind : schemas.pack.kinds()) {
    const std::string_view group = schemas.pack.text(kind.group);
    const std::string_view name = schemas.pack.text(kind.kind);
    if (group == "trainyard" || is_excepted(group, name)) continue;
    std::set<std::string> found;
    Walk(schemas, found).visit(kind.schema, "");
    const std::set<std::string> known = paths_of(pod_places(), group, name);
    for (const std::string& path : found) {
      INFO(group << "/" << schemas.pack.text(kind.version) << " " << name << " " << path);
      CHECK(known.contains(path));
    }
  }
}

TEST_CASE("every path of the table of pod templates is one in some version of its kind") {
  const Schemas schemas;
  const std::set<std::string_view> of_older_operators = {"spec.podTemplateOverrides[]"};
  for (const PodPlace& place : pod_places()) {
    if (of_older_operators.contains(place.path)) continue;
    bool found = false;
    for (const SchemaKind& kind : schemas.pack.kinds()) {
      if (schemas.pack.text(kind.group) != place.group ||
          schemas.pack.text(kind.kind) != place.kind) {
        continue;
      }
      const auto holder = schemas.at_path(kind.schema, place.path);
      const auto spec = holder ? schemas.at(*holder, "spec") : std::nullopt;
      // A patch knows only some fields of a container.
      found = found || (spec && schemas.at(*spec, "containers[]"));
    }
    INFO(place.group << " " << place.kind << " " << place.path);
    CHECK(found);
  }
}

TEST_CASE("what is an exception has a reason and something that looks like a pod spec") {
  const Schemas schemas;
  for (const PodlessKind& row : podless_kinds()) {
    INFO(row.kind);
    CHECK_FALSE(row.because.empty());
    bool found = false;
    for (const SchemaKind& kind : schemas.pack.kinds()) {
      if (schemas.pack.text(kind.group) != row.group || schemas.pack.text(kind.kind) != row.kind) {
        continue;
      }
      std::set<std::string> paths;
      Walk(schemas, paths).visit(kind.schema, "");
      found = found || !paths.empty();
    }
    CHECK(found);
  }
}

TEST_CASE("every path of the table of Jobs leads to the template of a pod") {
  const Schemas schemas;
  for (const JobPlace& place : job_places()) {
    bool found = false;
    for (const SchemaKind& kind : schemas.pack.kinds()) {
      if (schemas.pack.text(kind.group) != place.group ||
          schemas.pack.text(kind.kind) != place.kind) {
        continue;
      }
      const auto job = schemas.at_path(kind.schema, place.path);
      const auto pod = job ? schemas.at_path(*job, "template.spec") : std::nullopt;
      found = found || (pod && schemas.is_pod_spec(*pod) && schemas.at(*job, "backoffLimit"));
    }
    INFO(place.group << " " << place.kind);
    CHECK(found);
  }
}
