#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/compact.h"
#include "schema/import.h"
#include "schema/json_text.h"
#include "schema/keywords.h"
#include "schema/webhook_defaults.h"
#include "tree/tree.h"

namespace trainyard {
namespace {

constexpr std::size_t kWorthSharing = 200;  // bytes of JSON; less is easier read in place

/// Schemas below `id`, itself included, innermost first.
class Walk {
 public:
  explicit Walk(const Tree& tree) : tree_(tree) {}

  template <class Visit>
  void schemas(NodeId id, std::string_view name, const Visit& visit) const {
    if (!tree_[id].is_map()) return;
    for (const KeywordInfo& keyword : compact_keywords()) {
      const NodeId value = tree_.find(id, keyword.name);
      if (value == kNoNode || keyword.holds == Holds::Value) continue;
      if (keyword.holds == Holds::Schema) {
        schemas(value, name, visit);
      } else {
        const bool named = keyword.holds == Holds::SchemaMap;
        for (const NodeId child : tree_.children(value)) {
          schemas(child, named ? tree_[child].key : name, visit);
        }
      }
    }
    visit(id, name);
  }

 private:
  const Tree& tree_;
};

class Sharing {
 public:
  explicit Sharing(Tree& tree) : tree_(tree) {}

  void run() {
    Walk(tree_).schemas(tree_.root(), "root",
                        [this](NodeId id, std::string_view name) { count(id, name); });
    Tree shared;
    const NodeId root = copy_inside(tree_.root(), shared);
    if (!definitions_.empty()) shared.append(root, "$defs", definitions(shared));
    shared.set_root(root);
    tree_ = std::move(shared);
  }

 private:
  struct Subtree {
    std::size_t count = 0;
    std::string name;  // of the property where it came first
    std::string definition;
  };

  void count(NodeId id, std::string_view name) {
    std::string text;
    append_json(tree_, id, text);
    if (text.size() < kWorthSharing) return;
    const auto [at, first] = subtrees_.try_emplace(std::move(text));
    if (first) at->second.name = name;
    ++at->second.count;
    by_node_[id] = &at->second;
  }

  /// A copy of the schema, or a reference to where it is kept.
  NodeId copy(NodeId id, Tree& to) {
    const auto known = by_node_.find(id);
    if (known == by_node_.end() || known->second->count < 2) return copy_inside(id, to);
    Subtree& subtree = *known->second;
    if (subtree.definition.empty()) define(id, subtree, to);
    const NodeId out = to.add_map();
    const std::string reference = "#/$defs/" + subtree.definition;
    to.append(out, "$ref", to.add_string(to.intern(reference)));
    return out;
  }

  void define(NodeId id, Subtree& subtree, Tree& to) {
    std::string name = subtree.name;
    for (int n = 2; !taken_.insert(name).second; ++n) name = subtree.name + std::to_string(n);
    subtree.definition = name;
    definitions_[name] = copy_inside(id, to);
  }

  NodeId copy_inside(NodeId id, Tree& to) {
    if (!tree_[id].is_map()) return to.copy(tree_, id);
    const NodeId out = to.add_map();
    for (const KeywordInfo& keyword : compact_keywords()) {
      const NodeId value = tree_.find(id, keyword.name);
      if (value != kNoNode) to.append(out, keyword.name, held(value, keyword.holds, to));
    }
    return out;
  }

  NodeId held(NodeId value, Holds holds, Tree& to) {
    if (holds == Holds::Value) return to.copy(tree_, value);
    if (holds == Holds::Schema) return copy(value, to);
    const bool map = holds == Holds::SchemaMap;
    const NodeId out = map ? to.add_map() : to.add_seq();
    for (const NodeId child : tree_.children(value)) {
      const NodeId made = copy(child, to);
      if (map) {
        to.append(out, to.intern(tree_[child].key), made);
      } else {
        to.append(out, made);
      }
    }
    return out;
  }

  NodeId definitions(Tree& to) {
    const NodeId out = to.add_map();
    for (const auto& [name, id] : definitions_) to.append(out, to.intern(name), id);
    return out;
  }

  Tree& tree_;
  std::unordered_map<std::string, Subtree> subtrees_;  // by JSON text
  std::unordered_map<NodeId, Subtree*> by_node_;
  std::set<std::string> taken_;
  std::map<std::string, NodeId> definitions_;  // in the new tree
};

/// Moves subtrees that a schema repeats into its `$defs` and refers to them: a pod template says
/// the same about every container, probe and lifecycle handler. What the schema means stays.
void share_repeated(Tree& schema) {
  Sharing(schema).run();
}

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
