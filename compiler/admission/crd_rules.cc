#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go";
constexpr std::string_view kApproval = "api-approved.kubernetes.io";

std::string lower_cased(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Groups that are for APIs of the Kubernetes project.
bool is_protected(std::string_view group) {
  const auto below = [&](std::string_view domain) {
    if (!group.ends_with(domain)) return false;
    return group.size() == domain.size() || group[group.size() - domain.size() - 1] == '.';
  };
  return below("k8s.io") || below("kubernetes.io");
}

void crd_names(View object, CheckContext& context) {
  constexpr auto scopes = std::to_array<std::string_view>({"Namespaced", "Cluster"});
  const View spec = get(object, "spec");
  context.allow_written(get(spec, "scope"), "scope", scopes);
  const View names = get(spec, "names");
  const View group = get(spec, "group");
  require_text(spec, "group", context);
  require_text(names, "plural", context);
  require_text(names, "kind", context);
  if (string_of(group).empty()) return;
  if (group->text.find('.') == std::string_view::npos) {
    context.refuse(group, "found the group " + shown(group->text) +
                              ", wanted a domain with a dot, such as `example.com`");
  }
  const View plural = get(names, "plural");
  if (!string_of(plural).empty()) {
    context.name(plural, "kind in its plural", why_not_service_name);
    const View name = get(get(object, "metadata"), "name");
    const std::string wanted = std::string(plural->text) + "." + std::string(group->text);
    if (!string_of(name).empty() && name->text != wanted) {
      context.refuse(name, "found " + shown(name->text) + ", wanted " + shown(wanted) +
                               ": the plural and the group");
    }
  }
  const View kind = get(names, "kind");
  if (!string_of(kind).empty()) {
    if (const Fault fault = why_not_service_name(lower_cased(kind->text))) {
      context.refuse(kind, "the kind " + shown(kind->text) + " " + *fault);
    }
    const View list = get(names, "listKind");
    const Fault of_list =
        string_of(list).empty() ? std::nullopt : why_not_service_name(lower_cased(list->text));
    if (of_list) context.refuse(list, "the kind " + shown(list->text) + " " + *of_list);
    if (string_of(list) == kind->text) {
      context.refuse(list, "the kind of lists is that of the objects; wanted another, such as " +
                               shown(std::string(kind->text) + "List"));
    }
  }
  context.name(get(names, "singular"), "kind in its singular", why_not_service_name);
  for (std::string_view key : {"shortNames", "categories"}) {
    for (View each : items_at(names, key)) {
      context.name(each, key == "categories" ? "category" : "short", why_not_service_name);
    }
  }
  const View annotations = get(get(object, "metadata"), "annotations");
  if (is_protected(group->text) && string_at(annotations, kApproval).empty()) {
    context.refuse(group, "the group " + shown(group->text) +
                              " is for APIs of Kubernetes itself, which name their approval in the "
                              "annotation " +
                              shown(kApproval));
  }
}

void crd_versions(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View versions = get(spec, "versions");
  if (!versions || !versions->is_seq()) return;
  std::vector<std::string_view> seen;
  View stored;
  std::size_t storages = 0;
  for (View version : items_at(spec, "versions")) {
    const View name = get(version, "name");
    if (!string_of(name).empty()) {
      context.name(name, "version", why_not_service_name);
      if (std::ranges::find(seen, name->text) != seen.end()) {
        context.refuse(name, "there is a version " + shown(name->text) + " already");
      }
      seen.push_back(name->text);
    }
    if (is_true(get(version, "storage")) && ++storages == 2) stored = get(version, "storage");
    if (!get(get(version, "schema"), "openAPIV3Schema") && !context.is_flagged(version)) {
      context.refuse(version, "the version has no `schema.openAPIV3Schema`");
    }
  }
  if (storages == 0) context.refuse_key(versions, "none of the versions has `storage: true`");
  if (stored) context.refuse(stored, "a second version with `storage: true`, wanted one");
  if (is_true(get(spec, "preserveUnknownFields"))) {
    context.refuse(get(spec, "preserveUnknownFields"),
                   "a schema has to say which fields there are; wanted `false`, and "
                   "`x-kubernetes-preserve-unknown-fields: true` in the schema where it is needed");
  }
}

/// What makes a schema structural: it says of every field what it is, and alternatives only
/// restrict that. kubernetes/apiextensions-apiserver pkg/apiserver/schema/validation.go
class Structure {
 public:
  explicit Structure(CheckContext& context) : context_(context) {}

  enum class Level : std::uint8_t { Root, Item, Field };

  void schema(View schema, Level level) {
    if (!schema->is_map()) return;
    type(schema, level);
    for (View each : entries_at(schema, "properties")) this->schema(each, Level::Field);
    if (const View items = get(schema, "items")) this->schema(items, Level::Item);
    const View values = get(schema, "additionalProperties");
    if (values && level == Level::Root) {
      context_.refuse_key(values, "an object is no map: `additionalProperties` has no place here");
    } else if (values && values->is_map()) {
      this->schema(values, Level::Field);
    }
    if (values && has_items(get(schema, "properties")) && !is_true(values)) {
      context_.refuse_key(values,
                          "`properties` and `additionalProperties` exclude each other: an object "
                          "has known fields, or is a map");
    }
    if (is_true(get(schema, "uniqueItems"))) {
      context_.refuse_key(get(schema, "uniqueItems"),
                          "`uniqueItems` is not allowed; wanted `x-kubernetes-list-type: set`");
    }
    if (const View reference = get(schema, "$ref")) {
      context_.refuse_key(reference, "`$ref` is not allowed: write out what it means");
    }
    list(schema);
    alternatives(schema, level == Level::Root);
  }

 private:
  void type(View schema, Level level) {
    const std::string_view type = string_at(schema, "type");
    const bool open = is_true(get(schema, "x-kubernetes-int-or-string")) ||
                      is_true(get(schema, "x-kubernetes-preserve-unknown-fields"));
    if (type.empty() && (!open || is_true(get(schema, "x-kubernetes-embedded-resource")))) {
      context_.refuse_key(schema, "the schema says nothing about the type; wanted `type`");
    } else if (level == Level::Root && !type.empty() && type != "object") {
      context_.refuse(get(schema, "type"), "an object is of the type `object`");
    }
    if (type == "array" && !get(schema, "items")) {
      context_.refuse_key(schema, "the schema says nothing about the items; wanted `items`");
    }
  }

  void list(View schema) {
    const View kind = get(schema, "x-kubernetes-list-type");
    const View keys = get(schema, "x-kubernetes-list-map-keys");
    const bool is_map = string_of(kind) == "map";
    if (kind && string_at(schema, "type") != "array") {
      context_.refuse_key(kind, "only an array has a list type");
    }
    if (keys && !is_map) {
      context_.refuse_key(keys, "only a list of the type `map` has keys");
    }
    if (is_map && !has_items(keys)) {
      context_.refuse(kind, "the list has no keys; wanted `x-kubernetes-list-map-keys`");
    }
    const View items = get(schema, "items");
    if (string_of(kind) == "set") set_items(items);
    if (!is_map) return;
    for (View key : items_at(schema, "x-kubernetes-list-map-keys")) {
      const std::string_view name = string_of(key);
      if (name.empty() || !items) continue;
      const View property = get(get(items, "properties"), name);
      if (!property) {
        context_.refuse(key, "the items have no field " + shown(name));
      } else if (!property["default"] && !requires_field(items, name)) {
        context_.refuse(key, "the key " + shown(name) +
                                 " may be left out; wanted it to be required, or with a default");
      } else if (is_true(get(property, "nullable"))) {
        context_.refuse(get(property, "nullable"), "a key cannot be null");
      }
    }
  }

  /// Items of a set are compared as a whole. A CRD that has had others may keep them.
  void set_items(View items) {
    if (context_.old()) return;
    const std::string_view type = string_at(items, "type");
    const View map_type = get(items, "x-kubernetes-map-type");
    const View list_type = get(items, "x-kubernetes-list-type");
    if (type == "object" && string_of(map_type) != "atomic") {
      context_.refuse(map_type ? map_type : get(items, "type"),
                      "objects in a list of the type `set` need `x-kubernetes-map-type: atomic`");
    } else if (type == "array" && list_type && string_of(list_type) != "atomic") {
      context_.refuse(list_type, "lists in a list of the type `set` are `atomic`");
    }
  }

  static bool requires_field(View schema, std::string_view name) {
    for (View each : items_at(schema, "required")) {
      if (string_of(each) == name) return true;
    }
    return false;
  }

  /// That an alternative speaks of known fields only, the server looks at in the root alone.
  void alternatives(View schema, bool is_root) {
    is_root_ = is_root;
    for (std::string_view key : {"anyOf", "oneOf", "allOf"}) {
      bool first = true;
      for (View each : items_at(schema, key)) {
        const bool usual = key == "anyOf" && is_int_or_string(get(schema, key));
        const bool inside = key == "allOf" && first && is_int_or_string(get(each, "anyOf"));
        if (!usual) restriction(each, schema, inside);
        first = false;
      }
    }
    if (const View negated = get(schema, "not")) restriction(negated, schema, false);
  }

  /// How an int-or-string has always been written: the one place where an alternative has a type.
  static bool is_int_or_string(View any) {
    if (!any || !any->is_seq() || any->size != 2) return false;
    const View first = any.first();
    const View second(any.tree(), any->last);
    return first->size == 1 && second->size == 1 && string_at(first, "type") == "integer" &&
           string_at(second, "type") == "string";
  }

  void restriction(View part, View structure, bool usual_any_of) {
    if (!part->is_map()) return;
    constexpr auto kForbidden = std::to_array<std::string_view>(
        {"type", "additionalProperties", "default", "title", "description", "nullable",
         "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
         "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
         "x-kubernetes-map-type", "x-kubernetes-validations"});
    for (std::string_view key : kForbidden) {
      const View found = get(part, key);
      if (!found || is_false(found)) continue;
      context_.refuse_key(found, shown(key) +
                                     " has no place in an alternative, which only restricts what "
                                     "the schema around it says");
    }
    for (View each : entries_at(part, "properties")) {
      const View known = get(get(structure, "properties"), each.key());
      const View values = get(structure, "additionalProperties");
      if (!known && !(values && values->is_map())) only_restricted(each);
      restriction(each, known ? known : structure, false);
    }
    if (const View items = get(part, "items")) {
      restriction(items, get(structure, "items") ? get(structure, "items") : structure, false);
    }
    for (std::string_view key : {"anyOf", "oneOf", "allOf"}) {
      if (key == "anyOf" && usual_any_of) continue;
      for (View each : items_at(part, key)) restriction(each, structure, false);
    }
    if (const View negated = get(part, "not")) restriction(negated, structure, false);
  }

  void only_restricted(View field) {
    const std::string message = "the field " + shown(field.key()) +
                                " is in an alternative only; wanted it in `properties` of the "
                                "schema around it as well";
    if (is_root_) {
      context_.refuse_key(field, message);
    } else {
      context_.warn(field, message + ": it is dropped from objects before they are compared");
    }
  }

  CheckContext& context_;
  bool is_root_ = false;  // what alternatives are read of
};

void crd_schema(View object, CheckContext& context) {
  for (View version : items_at(get(object, "spec"), "versions")) {
    const View schema = get(get(version, "schema"), "openAPIV3Schema");
    if (schema) Structure(context).schema(schema, Structure::Level::Root);
  }
}

constexpr Check kChecks[] = {
    {.name = "crd-names",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "apiextensions.k8s.io CustomResourceDefinition",
     .sentence =
         "A CustomResourceDefinition is named after its plural and group; names and scope fit.",
     .source = kSource,
     .object = crd_names},
    {.name = "crd-versions",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "apiextensions.k8s.io CustomResourceDefinition",
     .sentence = "Every version of a CustomResourceDefinition has a schema, and one is stored.",
     .source = kSource,
     .object = crd_versions},
    {.name = "crd-schema",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "apiextensions.k8s.io CustomResourceDefinition",
     .sentence = "The schemas of a CustomResourceDefinition are structural.",
     .source = "kubernetes/apiextensions-apiserver pkg/apiserver/schema/validation.go",
     .object = crd_schema},
};

}  // namespace

constinit const std::span<const Check> crd_checks = kChecks;

}  // namespace trainyard
