#include "schema/pack_graph.h"
#include "source/text_parts.h"

#include <algorithm>

namespace trainyard {
namespace {

constexpr std::size_t kMaxDepth = 1000;  // of nested schemas, references followed
constexpr std::string_view kOwnReference = "$ref";
constexpr std::string_view kSharedReference = "x-trainyard-ref";

std::string name_in(const SchemaFacts& facts, std::string_view name) {
  SchemaFacts named = facts;
  named.kind = name;
  return named.name();
}

}  // namespace

PackGraph::PackGraph(const PackBuilder& builder, Sink& sink)
    : builder_(builder), reader_(tables_, *this, sink), copy_(builder.base_, tables_) {}

std::string PackGraph::build() {
  index_documents();
  std::vector<SchemaKind> all_kinds = kinds();
  std::vector<SchemaKind> all_definitions = definitions();
  finish_pending();
  return tables_.image(std::move(all_kinds), std::move(all_definitions));
}

void PackGraph::index_documents() {
  for (const Document& document : builder_.documents_) index(document);
}

void PackGraph::index(const Document& document) {
  const Tree& tree = document.tree;
  if (!document.facts.kind.empty()) {
    const std::string& before = document.facts.before;
    const std::string name = document.facts.name() + (before.empty() ? "" : " before " + before);
    return add_name(name, {&document, tree.root()});
  }
  const View definitions = View(tree, tree.root())["$defs"];
  if (!definitions) return reader_.bad(View(tree, tree.root()), "the file has no `$defs`");
  for (const NodeId id : tree.children(definitions.id())) {
    add_name(name_in(document.facts, tree[id].key), {&document, id});
  }
}

void PackGraph::add_name(const std::string& name, Named named) {
  if (names_.try_emplace(name, named).second) return;
  reader_.bad(View(named.document->tree, named.node),
              "there are two schemas of " + in_backticks(name));
}

// The index is in the order of names, so the image does not depend on the order of adding.

std::vector<SchemaKind> PackGraph::kinds() {
  std::vector<SchemaKind> result;
  for (const auto& [name, named] : names_) {
    const SchemaFacts& facts = named.document->facts;
    if (facts.kind.empty()) continue;
    const SchemaId id = resolve(named, SchemaRole::Structure);
    result.push_back(kind(*named.document, facts.kind, id));
  }
  return result;
}

std::vector<SchemaKind> PackGraph::definitions() {
  std::vector<SchemaKind> result;
  for (const auto& [name, named] : names_) {
    if (!named.document->facts.kind.empty()) continue;
    const SchemaId id = resolve(named, SchemaRole::Structure);
    result.push_back(kind(*named.document, named.document->tree[named.node].key, id));
  }
  return result;
}

SchemaKind PackGraph::kind(const Document& document, std::string_view name, SchemaId schema) {
  const SchemaFacts& facts = document.facts;
  SchemaKind kind;
  kind.group = tables_.text(facts.group);
  kind.version = tables_.text(facts.version);
  kind.kind = tables_.text(name);
  kind.source = tables_.text(facts.source);
  kind.replicas_path = tables_.text(facts.replicas_path);
  kind.before = tables_.text(facts.before);
  kind.schema = schema;
  kind.namespaced = facts.namespaced ? 1 : 0;
  kind.has_status = facts.has_status ? 1 : 0;
  return kind;
}

SchemaId PackGraph::schema(View node, SchemaRole role) {
  if (node->kind == Kind::Bool && node.text() == "true") return kAnySchema;
  if (!node->is_map()) {
    reader_.bad(node, "a schema is a map, not " + word_with_article(node->kind));
    return kAnySchema;
  }
  if (depth_ == kMaxDepth) {
    reader_.bad(node, "schemas are nested more than " + std::to_string(kMaxDepth) + " deep");
    return kAnySchema;
  }
  ++depth_;
  SchemaId id = kAnySchema;
  if (node[kOwnReference] || node[kSharedReference]) {
    id = reference(node, role);
  } else {
    SchemaNode content;
    reader_.read(node, role, content);
    id = tables_.node(content);
  }
  --depth_;
  return id;
}

/// What a reference means, with the keywords beside it added.
SchemaId PackGraph::reference(View node, SchemaRole role) {
  const SchemaId original = target(node, role);
  if (node->size == 1) return original;
  if (incomplete_.contains(original)) {
    const SchemaId copy = tables_.reserve();
    incomplete_.insert(copy);
    pending_.push_back({copy, original, node, role});
    return copy;
  }
  SchemaNode content = tables_[original];
  reader_.read(node, role, content);
  return tables_.node(content);
}

SchemaId PackGraph::target(View node, SchemaRole role) {
  if (const View shared = node[kSharedReference]) return shared_definition(shared, role);
  return own_definition(node[kOwnReference], role);
}

SchemaId PackGraph::own_definition(View reference, SchemaRole role) {
  constexpr std::string_view kPrefix = "#/$defs/";
  const Tree& tree = reference.tree();
  const std::string_view path = reference.text();
  if (path.starts_with(kPrefix)) {
    const NodeId found = View(tree, tree.root())["$defs"][path.substr(kPrefix.size())].id();
    const auto document = std::ranges::find_if(builder_.documents_,
                                               [&](const Document& d) { return &d.tree == &tree; });
    if (found != kNoNode) return resolve({&*document, found}, role);
  }
  reader_.bad(reference, "nothing is at the reference " + in_backticks(path));
  return kAnySchema;
}

SchemaId PackGraph::shared_definition(View reference, SchemaRole role) {
  const auto named = names_.find(reference.text());
  return named == names_.end() ? from_base(reference, role) : resolve(named->second, role);
}

SchemaId PackGraph::from_base(View reference, SchemaRole role) {
  const auto found = copy_.named(reference.text());
  if (!found || role != SchemaRole::Structure) {
    reader_.bad(reference, "there is no schema " + in_backticks(reference.text()));
    return kAnySchema;
  }
  return *found;
}

SchemaId PackGraph::resolve(Named named, SchemaRole role) {
  const View node(named.document->tree, named.node);
  Progress& progress = progress_[{&node.tree(), node.id(), role}];
  if (progress.done) return progress.id;
  if (progress.entered) {
    if (progress.id == kNoLimit) {
      progress.id = tables_.reserve();
      incomplete_.insert(progress.id);
    }
    return progress.id;
  }
  progress.entered = true;
  finish(progress, schema(node, role), node);
  return progress.id;
}

void PackGraph::finish(Progress& progress, SchemaId id, View node) {
  progress.done = true;
  if (progress.id == kNoLimit) {
    progress.id = id;
  } else if (incomplete_.contains(id)) {
    reader_.bad(
        node, "the schema " + in_backticks(node->key) + " refers to itself and says nothing else");
  } else {
    tables_.set(progress.id, tables_[id]);
    incomplete_.erase(progress.id);
  }
}

void PackGraph::finish_pending() {
  for (std::size_t i = 0; i < pending_.size(); ++i) {  // reading may add more
    const Pending pending = pending_[i];
    SchemaNode content = tables_[pending.original];
    reader_.read(pending.additions, pending.role, content);
    tables_.set(pending.copy, content);
    incomplete_.erase(pending.copy);
  }
}

}  // namespace trainyard
