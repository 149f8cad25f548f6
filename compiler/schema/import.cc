#include "schema/import.h"

#include <algorithm>

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
  if (facts.has_status) tree.append(out, "status", tree.add_bool(true));
  put("replicas", facts.replicas_path);
  put("before", facts.before);
  put("source", facts.source);
  return out;
}

std::string_view take_part(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view part = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return part;
}

/// `batch/v1/Job.json`; nothing is known from a path of another form.
SchemaFacts facts_of_path(std::string_view path) {
  SchemaFacts facts;
  const std::string_view group = take_part(path);
  const std::string_view version = take_part(path);
  const std::string_view kind = path.substr(0, path.rfind('.'));
  if (group.empty() || version.empty() || kind.empty() || kind.find('/') != kind.npos) return facts;
  if (group != "core") facts.group = group;
  facts.version = version;
  if (kind != "definitions") facts.kind = kind;
  return facts;
}

}  // namespace

std::string ImportedSchema::path() const {
  SchemaFacts named = facts;
  if (named.kind.empty()) named.kind = "definitions";
  std::string suffix = named.before.empty() ? "" : ".before-" + named.before;
  std::ranges::replace(suffix, ' ', '-');
  return named.name() + suffix + ".json";
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

bool is_schema_file(std::string_view text) {
  constexpr std::string_view kBeginning = "{\n \"x-trainyard\": {";
  return text.starts_with(kBeginning);
}

SchemaFacts facts_of(const Tree& schema, std::string_view path) {
  const View own = View(schema, schema.root())[kFacts];
  if (!own) return facts_of_path(path);
  SchemaFacts facts;
  facts.group = own["group"].text();
  facts.version = own["version"].text();
  facts.kind = own["kind"].text();
  facts.plural = own["plural"].text();
  facts.source = own["source"].text();
  facts.namespaced = own["scope"].text() != "Cluster";
  facts.has_status = own["status"].text() == "true";
  facts.replicas_path = own["replicas"].text();
  facts.before = own["before"].text();
  return facts;
}

}  // namespace trainyard
