#include "schema/import.h"

#include "schema/json_text.h"

namespace trainyard {
namespace {

constexpr std::string_view kFacts = "x-trainyard";

NodeId facts_node(const SchemaFacts& facts, Tree& tree) {
  const NodeId out = tree.add_map();
  const auto put = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) tree.append(out, key, tree.add_string(tree.intern(value)));
  };
  put("group", facts.group);
  put("version", facts.version);
  put("kind", facts.kind);
  put("plural", facts.plural);
  if (!facts.kind.empty()) put("scope", facts.namespaced ? "Namespaced" : "Cluster");
  put("source", facts.source);
  return out;
}

std::string_view take_part(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view part = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return part;
}

}  // namespace

std::string ImportedSchema::path() const {
  SchemaFacts named = facts;
  if (named.kind.empty()) named.kind = "definitions";
  return named.name() + ".json";
}

std::string ImportedSchema::text() const {
  Tree file;
  const NodeId root = file.add_map();
  file.append(root, kFacts, facts_node(facts, file));
  for (const NodeId id : schema.children(schema.root())) {
    const NodeId copy = file.copy(schema, id);
    file.append(root, file[copy].key, copy);
  }
  std::string out;
  append_json_lines(file, root, out);
  return out;
}

SchemaFacts facts_of(const Tree& schema, std::string_view path) {
  SchemaFacts facts;
  facts.group = take_part(path);
  if (facts.group == "core") facts.group.clear();
  facts.version = take_part(path);
  facts.kind = path.substr(0, path.rfind('.'));
  if (facts.kind == "definitions") facts.kind.clear();
  const View own = View(schema, schema.root())[kFacts];
  if (!own) return facts;
  facts.group = own["group"].text();
  facts.version = own["version"].text();
  facts.kind = own["kind"].text();
  facts.plural = own["plural"].text();
  facts.source = own["source"].text();
  facts.namespaced = own["scope"].text() != "Cluster";
  return facts;
}

}  // namespace trainyard
