#include "driver/checks/custom_kinds.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "manifest/kinds.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Policies show patterns of pods, not pods.
constexpr auto kPolicyGroups = std::to_array<std::string_view>(
    {"kyverno.io", "policies.kyverno.io", "policy.open-cluster-management.io",
     "templates.gatekeeper.sh", "constraints.gatekeeper.sh", "mutations.gatekeeper.sh",
     "config.gatekeeper.sh"});

bool has_kind(const SchemaPack& pack, std::string_view group, std::string_view kind) {
  return std::ranges::any_of(pack.kinds(), [&](const SchemaKind& each) {
    return pack.text(each.kind) == kind && pack.text(each.group) == group;
  });
}

/// A text that stands for itself: no pattern, and nothing that is to be filled in.
bool is_literal(std::string_view text) {
  return !text.empty() && text.find_first_of("*?!|(){}$<> ") == std::string_view::npos;
}

bool is_container(View item) {
  if (!item->is_map() || !is_literal(string_at(item, "name"))) return false;
  const View image = get(item, "image");
  const bool stands_for_itself = image && is_literal(string_of(image));
  return image ? stands_for_itself : has_items(get(item, "command"));
}

bool is_pod_spec(View spec) {
  const View containers = get(spec, "containers");
  if (!has_items(containers) || !containers->is_seq()) return false;
  const Items all(containers);
  return std::ranges::all_of(all.begin(), all.end(), is_container);
}

/// Goes through a value and its schema together.
class Finder {
 public:
  Finder(const SchemaPack& pack, bool names_objects) : pack_(pack), names_objects_(names_objects) {}

  void visit_object(View object, SchemaId schema) {
    for (View entry : Items(object)) {
      const std::string_view key = entry->key;
      if (key == "apiVersion" || key == "kind" || key == "metadata" || key == "status") continue;
      if (const auto below = at_key(schema, key)) visit(entry, *below);
    }
  }

  OwnParts take() { return std::move(found_); }

 private:
  void visit(View at, SchemaId schema) {
    if (at->is_seq()) {
      const auto item_schema = items(schema);
      if (!item_schema) return;
      for (View item : Items(at)) visit(item, *item_schema);
    }
    if (!at->is_map()) return;
    if ((pack_[schema].flags & kEmbeddedResource) != 0) {
      const View name = get(get(at, "metadata"), "name");
      if (name ? is_literal(string_of(name)) : names_objects_) found_.objects.push_back(at);
      return;
    }
    const View spec = get(at, "spec");
    const auto spec_schema = at_key(schema, "spec");
    if (spec && spec->is_map() && spec_schema && is_of_pods(*spec_schema) && is_pod_spec(spec)) {
      found_.templates.push_back(at);
      return;
    }
    for (View entry : Items(at)) {
      if (const auto below = at_key(schema, entry->key)) visit(entry, *below);
    }
  }

  /// Whether anything may stand there, without a description of its meaning.
  bool is_open(SchemaId schema) const {
    return schema == kAnySchema || (pack_[schema].flags & kPreserveUnknown) != 0;
  }

  std::optional<SchemaId> at_key(SchemaId schema, std::string_view key) const {
    if (schema == kAnySchema) return kAnySchema;
    const SchemaNode& node = pack_[schema];
    if (const auto property = pack_.property(node, key)) return property;
    if (node.additional != kNoLimit) return node.additional;
    return is_open(schema) ? std::optional(kAnySchema) : std::nullopt;
  }

  std::optional<SchemaId> items(SchemaId schema) const {
    if (pack_[schema].items != kNoLimit) return pack_[schema].items;
    return is_open(schema) ? std::optional(kAnySchema) : std::nullopt;
  }

  bool has(SchemaId schema, std::string_view key) const {
    return pack_.property(pack_[schema], key).has_value();
  }

  /// Whether a schema is that of a pod spec, or leaves open what it is.
  bool is_of_pods(SchemaId schema) const {
    const auto containers = pack_.property(pack_[schema], "containers");
    if (!containers) return is_open(schema) && pack_[schema].properties.count == 0;
    const SchemaId container = pack_[*containers].items;
    if (container == kNoLimit) return is_open(*containers);
    const bool is_core =
        has(container, "image") && has(container, "envFrom") && has(container, "resources");
    return is_core && (has(schema, "restartPolicy") || has(schema, "volumes"));
  }

  const SchemaPack& pack_;
  bool names_objects_;  // the controller names what it makes
  OwnParts found_;
};

}  // namespace

bool holds_objects(std::string_view group, std::string_view kind) {
  return (group == "workload.codeflare.dev" && kind == "AppWrapper") ||
         (group == "kubeflow.org" && kind == "Experiment");
}

const SchemaPack* own_kind(View object, SchemaSources schemas, SchemaId& schema) {
  const std::string_view api_version = string_at(object, "apiVersion");
  const std::string_view kind = string_at(object, "kind");
  const std::string_view group = group_of(api_version);
  if (std::ranges::find(kPolicyGroups, group) != kPolicyGroups.end()) return nullptr;
  const FoundKind found = find_kind(schemas, api_version, kind);
  if (found.kind == nullptr) return nullptr;
  if (!holds_objects(group, kind) && has_kind(SchemaPack::builtin(), group, kind)) return nullptr;
  schema = found.kind->schema;
  return &found.source->pack;
}

OwnParts own_parts(View object, const SchemaPack& pack, SchemaId schema) {
  Finder finder(pack, string_at(object, "kind") == "Experiment");
  finder.visit_object(object, schema);
  return finder.take();
}

}  // namespace trainyard
