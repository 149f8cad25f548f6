#include "schema/compact.h"
#include "schema/import.h"
#include "schema/shared_definitions.h"
#include "schema/webhook_defaults.h"

namespace trainyard {
namespace {

constexpr std::string_view kObjectMeta = "core/v1/ObjectMeta";

void bad(View at, std::string message, Sink& sink) {
  sink.report(DiagnosticKind::BadSchema, at ? at->span : Span{}, std::move(message));
}

NodeId type_node(std::string_view type, Tree& tree) {
  const NodeId out = tree.add_map();
  tree.append(out, "type", tree.add_string(type));
  return out;
}

/// The API server checks an object's metadata against its own type, whatever the CRD says; the CRD
/// can only restrict it (`name: {maxLength: 63}`).
NodeId metadata(NodeId own, Tree& tree) {
  const NodeId out = tree.add_map();
  tree.append(out, "x-trainyard-ref", tree.add_string(kObjectMeta));
  if (own == kNoNode || tree[own].size <= 1) return out;
  const NodeId all = tree.add_seq();
  tree.append(out, "allOf", all);
  const NodeId restriction = tree.copy(tree, own);
  tree[restriction].key = {};
  tree.append(all, restriction);
  return out;
}

/// Every object has these fields, also when the CRD does not name them.
void add_object_fields(NodeId root, Tree& tree) {
  NodeId properties = tree.find(root, "properties");
  if (properties == kNoNode) {
    properties = tree.add_map();
    tree.append(root, "properties", properties);
  }
  for (const std::string_view name : {"apiVersion", "kind"}) {
    if (tree.find(properties, name) != kNoNode) continue;
    tree.append(properties, name, type_node("string", tree));
  }
  const NodeId own = tree.find(properties, "metadata");
  const NodeId full = metadata(own, tree);
  if (own == kNoNode) {
    tree.append(properties, "metadata", full);
  } else {
    tree.replace(properties, own, full);
  }
}

/// A version without a schema takes everything.
NodeId open_object(Tree& tree) {
  const NodeId out = type_node("object", tree);
  tree.append(out, "x-kubernetes-preserve-unknown-fields", tree.add_bool(true));
  return out;
}

/// The root of a schema of objects, complete.
void finish_object(NodeId root, const SchemaFacts& facts, Tree& tree) {
  add_object_fields(root, tree);
  add_filled_fields(facts.group, facts.kind, root, tree);
  tree.set_root(root);
}

ImportedSchema import_version(View spec, View version, std::string_view source) {
  ImportedSchema result;
  SchemaFacts& facts = result.facts;
  facts.group = spec["group"].text();
  facts.version = version["name"].text();
  facts.kind = spec["names"]["kind"].text();
  facts.plural = spec["names"]["plural"].text();
  facts.namespaced = spec["scope"].text() != "Cluster";
  facts.source = source;
  const View parts = version["subresources"];
  facts.has_status = parts["status"] && parts["status"]->kind != Kind::Null;
  facts.replicas_path = parts["scale"]["specReplicasPath"].text();
  Tree& tree = result.schema;
  const View schema = version["schema"]["openAPIV3Schema"];
  const NodeId root = schema ? compact_schema(schema, tree) : open_object(tree);
  finish_object(root, facts, tree);
  share_repeated(tree);
  return result;
}

bool usable(View crd, Sink& sink) {
  const auto need = [&](View value, std::string_view what) {
    if (value) return true;
    bad(crd, "the CustomResourceDefinition has no `" + std::string(what) + "`", sink);
    return false;
  };
  if (crd["kind"].text() != "CustomResourceDefinition" ||
      crd["apiVersion"].text() != "apiextensions.k8s.io/v1") {
    bad(crd, "this is not a CustomResourceDefinition of `apiextensions.k8s.io/v1`", sink);
    return false;
  }
  const View spec = crd["spec"];
  const bool complete[] = {need(spec["group"], "spec.group"),
                           need(spec["names"]["kind"], "spec.names.kind"),
                           need(spec["versions"], "spec.versions")};
  return complete[0] && complete[1] && complete[2];
}

}  // namespace

Tree open_schema(const SchemaFacts& facts) {
  Tree tree;
  finish_object(open_object(tree), facts, tree);
  return tree;
}

std::vector<ImportedSchema> import_crd(const Tree& tree, std::string_view source, Sink& sink) {
  std::vector<ImportedSchema> result;
  const View crd(tree, tree.root());
  if (!usable(crd, sink)) return result;
  const View versions = crd["spec"]["versions"];
  for (const NodeId id : tree.children(versions.id())) {
    const View version(tree, id);
    if (version["served"].text() == "false") continue;
    if (version["name"].text().empty()) {
      bad(version, "a version of the CustomResourceDefinition has no `name`", sink);
      continue;
    }
    result.push_back(import_version(crd["spec"], version, source));
  }
  return result;
}

}  // namespace trainyard
