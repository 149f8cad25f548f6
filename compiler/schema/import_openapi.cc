#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "schema/compact.h"
#include "schema/import.h"
#include "schema/json_node.h"

namespace trainyard {
namespace {

struct ApiDefault {
  std::string_view definition;
  std::string_view property;
  std::string_view value;  // JSON
};

// Looked through and left out: a default that depends on another field: it has no single value
// (`apiGroup` of a Subject, `count` of a device request, amounts of a LimitRange, `dataSource` of a
// claim).
constexpr auto kDefaults = std::to_array<ApiDefault>({
    // kubernetes/kubernetes pkg/apis/core/v1/defaults.go, zz_generated.defaults.go
    {"io.k8s.api.core.v1.ObjectFieldSelector", "apiVersion", R"("v1")"},
    {"io.k8s.api.core.v1.ServiceAccountTokenProjection", "expirationSeconds", "3600"},
    {"io.k8s.api.core.v1.FileKeySelector", "optional", "false"},
    // A Quantity is a structure in Go, which `omitempty` does not leave out.
    {"io.k8s.api.core.v1.ResourceFieldSelector", "divisor", R"("0")"},
    // kubernetes/kubernetes pkg/apis/batch/v1/defaults.go
    {"io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", "status", R"("True")"},
    // kubernetes/kubernetes pkg/apis/networking/v1/defaults.go
    {"io.k8s.api.networking.v1.NetworkPolicyPort", "protocol", R"("TCP")"},
});

/// The default, as JSON, that the API server's own code gives a property of a definition of its
/// OpenAPI document, which does not have it; "" for none. Only of what may stand inside of a
/// list or map that one field manager owns as a whole: elsewhere it makes no difference to us.
std::string_view api_default(std::string_view definition, std::string_view property) {
  const auto found = std::ranges::find_if(kDefaults, [&](const ApiDefault& each) {
    return each.definition == definition && each.property == property;
  });
  return found == kDefaults.end() ? std::string_view() : found->value;
}

constexpr std::string_view kMachinery = "io.k8s.apimachinery.pkg.";
constexpr std::string_view kGroupVersionKind = "x-kubernetes-group-version-kind";

/// `io.k8s.api.core.v1` of `io.k8s.api.core.v1.PodSpec`.
std::string_view package_of(std::string_view definition) {
  return definition.substr(0, std::min(definition.rfind('.'), definition.size()));
}

std::string_view last_part(std::string_view text, char separator) {
  return text.substr(text.rfind(separator) + 1);
}

View definitions_of(const Tree& document) {
  const View root(document, document.root());
  const View v2 = root["definitions"];
  return v2 ? v2 : root["components"]["schemas"];
}

/// The definition a node refers to, `io.k8s.api.core.v1.PodSpec`; v3 wraps a reference that has
/// something beside it into an `allOf` of one. Empty for other nodes.
std::string_view reference_of(View node) {
  if (const View ref = node["$ref"]) return last_part(ref.text(), '/');
  const View all = node["allOf"];
  if (!all || all->size != 1) return {};
  return last_part(View(node.tree(), all->first)["$ref"].text(), '/');
}

/// A default that is not what the field is anyway when it is absent.
bool says_something(View value) {
  if (!value || !value->is_scalar() || value->kind == Kind::Null) return false;
  const std::string_view text = value.text();
  return !text.empty() && text != "0" && text != "false";
}

void drop(Tree& tree, NodeId map, std::string_view key) {
  const NodeId found = tree.find(map, key);
  if (found != kNoNode) tree.remove(map, found);
}

struct Scope {
  std::string plural;
  bool namespaced = false;
};

/// What the paths of the document say about a kind: where its objects are created.
class Scopes {
 public:
  explicit Scopes(const Tree& document) {
    const View paths = View(document, document.root())["paths"];
    for (const NodeId id : document.children(paths.id())) add(View(document, id));
  }

  Scope of(const SchemaFacts& facts) const {
    const auto found = scopes_.find(facts.name());
    return found == scopes_.end() ? Scope{} : found->second;
  }

 private:
  void add(View path) {
    const View post = path["post"];
    // `/api/v1/namespaces/{namespace}/pods` but not `.../pods/{name}/eviction`.
    if (!post || path->key.find("{name}") != std::string_view::npos) return;
    const View kind = post[kGroupVersionKind];
    SchemaFacts facts;
    facts.group = kind["group"].text();
    facts.version = kind["version"].text();
    facts.kind = kind["kind"].text();
    Scope scope;
    scope.plural = last_part(path->key, '/');
    scope.namespaced = path->key.find("{namespace}") != std::string_view::npos;
    Scope& known = scopes_[facts.name()];
    if (known.plural.empty() || scope.namespaced) known = scope;
  }

  std::map<std::string, Scope> scopes_;
};

class OpenApiImport {
 public:
  OpenApiImport(const Tree& document, std::span<const Tree* const> defaults,
                std::string_view source, Sink& sink)
      : document_(document),
        definitions_(definitions_of(document)),
        defaults_(defaults),
        source_(source),
        sink_(sink),
        scopes_(document) {
    for (const NodeId id : document.children(definitions_.id())) learn(View(document, id));
  }

  std::vector<ImportedSchema> run(std::span<const WantedKind> wanted) {
    for (const WantedKind& kind : wanted) want(kind);
    while (!open_.empty()) {
      const std::string_view name = *open_.begin();
      open_.erase(open_.begin());
      import(name);
    }
    for (auto& [path, file] : shared_) finish(file);
    return std::move(result_);
  }

 private:
  void learn(View definition);
  void want(const WantedKind& kind);
  void import(std::string_view name);
  ImportedSchema& file_of(const SchemaFacts& facts);
  void finish(ImportedSchema& file);
  SchemaFacts facts_of_definition(std::string_view name) const;
  NodeId schema(View definition, Tree& to);
  NodeId substitute(View node, Tree& to);
  NodeId machinery(std::string_view name, Tree& to) const;
  NodeId shared(std::string_view name, Tree& to);
  void add_defaults(std::string_view name, NodeId schema, Tree& to) const;
  static void drop_empty_defaults(Tree& tree);
  static void allow_null(NodeId schema, Tree& to);
  void bad(std::string message) {
    sink_.report(DiagnosticKind::BadSchema, definitions_ ? definitions_->span : Span{},
                 std::move(message));
  }

  const Tree& document_;
  View definitions_;
  std::span<const Tree* const> defaults_;
  std::string_view source_;
  Sink& sink_;
  Scopes scopes_;
  std::map<std::string_view, SchemaFacts> packages_;  // group and version of `io.k8s.api.core.v1`
  std::map<std::string, std::string_view> kinds_;     // `core/v1/Pod` -> definition
  std::set<std::string_view> open_, done_;            // definitions
  std::map<std::string, ImportedSchema> shared_;      // by path
  std::vector<ImportedSchema> result_;
};

/// The group of a package is what the kinds in it say.
void OpenApiImport::learn(View definition) {
  const View kinds = definition[kGroupVersionKind];
  if (!kinds || !kinds->is_seq() || kinds->size == 0) return;
  const View first(document_, kinds->first);
  SchemaFacts facts;
  facts.group = first["group"].text();
  facts.version = first["version"].text();
  packages_.try_emplace(package_of(definition->key), facts);
  facts.kind = first["kind"].text();
  kinds_.try_emplace(facts.name(), definition->key);
}

void OpenApiImport::want(const WantedKind& kind) {
  SchemaFacts facts;
  facts.group = kind.group;
  facts.version = kind.version;
  facts.kind = kind.kind;
  const auto found = kinds_.find(facts.name());
  if (found == kinds_.end()) return bad("the document has no kind `" + facts.name() + "`");
  open_.insert(found->second);
}

SchemaFacts OpenApiImport::facts_of_definition(std::string_view name) const {
  const auto package = packages_.find(package_of(name));
  SchemaFacts facts = package == packages_.end() ? SchemaFacts{} : package->second;
  facts.kind = last_part(name, '.');
  facts.source = source_;
  return facts;
}

void OpenApiImport::import(std::string_view name) {
  done_.insert(name);
  const View definition = definitions_[name];
  SchemaFacts facts = facts_of_definition(name);
  if (!definition || facts.version.empty()) {
    return bad("the document does not say what `" + std::string(name) + "` is");
  }
  if (const auto kind = kinds_.find(facts.name()); kind != kinds_.end() && kind->second == name) {
    const Scope scope = scopes_.of(facts);
    facts.plural = scope.plural;
    facts.namespaced = scope.namespaced;
    ImportedSchema imported;
    imported.facts = std::move(facts);
    imported.schema.set_root(schema(definition, imported.schema));
    result_.push_back(std::move(imported));
    return;
  }
  ImportedSchema& file = file_of(facts);
  Tree& tree = file.schema;
  const NodeId made = schema(definition, tree);
  tree.append(tree.find(tree.root(), "$defs"), tree.intern(facts.kind), made);
}

ImportedSchema& OpenApiImport::file_of(const SchemaFacts& facts) {
  SchemaFacts shared = facts;
  shared.kind.clear();
  ImportedSchema& file = shared_[shared.name()];
  if (file.schema.root() == kNoNode) {
    file.facts = shared;
    file.schema.set_root(file.schema.add_map());
    file.schema.append(file.schema.root(), "$defs", file.schema.add_map());
  }
  return file;
}

/// Definitions in the order of their names, whatever order they were met in.
void OpenApiImport::finish(ImportedSchema& file) {
  Tree& tree = file.schema;
  const NodeId defs = tree.find(tree.root(), "$defs");
  std::vector<NodeId> order;
  for (const NodeId id : tree.children(defs)) order.push_back(id);
  std::sort(order.begin(), order.end(),
            [&](NodeId a, NodeId b) { return tree[a].key < tree[b].key; });
  tree.reorder(defs, order);
  result_.push_back(std::move(file));
}

NodeId OpenApiImport::schema(View definition, Tree& to) {
  Tree draft;
  const NodeId made = compact_schema(
      definition, draft, [this](View node, Tree& tree) { return substitute(node, tree); });
  // What a client says of a status is not looked at.
  if (definition->key.ends_with("Status")) drop(draft, made, "required");
  drop_empty_defaults(draft);
  add_defaults(definition->key, made, draft);
  allow_null(made, draft);
  return compact_schema(View(draft, made), to);  // once more, for the order of the keywords
}

/// A reference becomes one of ours, or what the type means where it has a JSON form of its own.
NodeId OpenApiImport::substitute(View node, Tree& to) {
  const std::string_view name = reference_of(node);
  if (name.empty()) return kNoNode;
  NodeId made = machinery(name, to);
  if (made == kNoNode) made = shared(name, to);
  // Keywords beside the reference; the list ones matter for merging.
  for (const std::string_view keyword :
       {"x-kubernetes-map-type", "x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key"}) {
    if (const View value = node[keyword]) {
      to.append(made, keyword, to.copy(node.tree(), value.id()));
    }
  }
  return made;
}

/// Types whose JSON form is not their structure (kubernetes/apimachinery pkg/api/resource,
/// pkg/util/intstr, pkg/apis/meta/v1, pkg/runtime; kubernetes/apiextensions-apiserver
/// pkg/apis/apiextensions/v1/marshal.go).
NodeId OpenApiImport::machinery(std::string_view name, Tree& to) const {
  const NodeId out = to.add_map();
  const auto says = [&](std::string_view key, NodeId value) { to.append(out, key, value); };
  const auto is = [&](std::string_view rest) {
    return name.starts_with(kMachinery) && name.substr(kMachinery.size()) == rest;
  };
  const std::string_view kind = last_part(name, '.');
  if (is("api.resource.Quantity")) {
    says("format", to.add_string("quantity"));
  } else if (is("util.intstr.IntOrString")) {
    says("x-kubernetes-int-or-string", to.add_bool(true));
  } else if (is("apis.meta.v1.Time") || is("apis.meta.v1.MicroTime")) {
    says("type", to.add_string("string"));
    says("format", to.add_string("date-time"));
  } else if (is("runtime.RawExtension") || is("apis.meta.v1.FieldsV1")) {
    says("type", to.add_string("object"));
    says("x-kubernetes-preserve-unknown-fields", to.add_bool(true));
  } else if (kind == "JSON" || kind.starts_with("JSONSchemaPropsOr")) {
    says("x-kubernetes-preserve-unknown-fields", to.add_bool(true));
  } else {
    return kNoNode;
  }
  return out;
}

NodeId OpenApiImport::shared(std::string_view name, Tree& to) {
  const View definition = definitions_[name];
  if (!definition) {
    bad("the document refers to `" + std::string(name) + "`, which it does not have");
  } else if (!done_.contains(name)) {
    open_.insert(definition->key);
  }
  const NodeId out = to.add_map();
  const std::string ours = facts_of_definition(name).name();
  to.append(out, "x-trainyard-ref", to.add_string(to.intern(ours)));
  return out;
}

void OpenApiImport::add_defaults(std::string_view name, NodeId made, Tree& to) const {
  const NodeId properties = to.find(made, "properties");
  for (const NodeId property : to.children(properties)) {
    if (to.find(property, "default") != kNoNode) continue;
    if (const std::string_view ours = api_default(name, to[property].key); !ours.empty()) {
      to.append(property, "default", add_json(to, nlohmann::json::parse(ours)));
      continue;
    }
    for (const Tree* document : defaults_) {
      const View value = definitions_of(*document)[name]["properties"][to[property].key]["default"];
      if (!says_something(value)) continue;
      to.append(property, "default", to.copy(*document, value.id()));
      break;
    }
  }
}

/// v3 says `default: ""` and `default: {}` where Go has a zero value.
void OpenApiImport::drop_empty_defaults(Tree& tree) {
  for (NodeId id = 0; id < tree.size(); ++id) {
    const NodeId value = tree.find(id, "default");
    // A property of this name has a schema, which is a map with something in it.
    if (value == kNoNode || (tree[value].is_map() && tree[value].size != 0)) continue;
    if (!says_something(View(tree, value))) tree.remove(id, value);
  }
}

/// The API server reads these types with Go's JSON decoder: a null is an absent field.
void OpenApiImport::allow_null(NodeId made, Tree& to) {
  const NodeId properties = to.find(made, "properties");
  const NodeId required = to.find(made, "required");
  for (const NodeId property : to.children(properties)) {
    bool needed = false;
    for (const NodeId name : to.children(required)) {
      needed = needed || to[name].text == to[property].key;
    }
    if (!needed) to.append(property, "nullable", to.add_bool(true));
  }
}

}  // namespace

std::vector<ImportedSchema> import_openapi(const Tree& document, std::span<const WantedKind> wanted,
                                           std::span<const Tree* const> defaults,
                                           std::string_view source, Sink& sink) {
  return OpenApiImport(document, defaults, source, sink).run(wanted);
}

}  // namespace trainyard
