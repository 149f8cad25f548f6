#include "driver/explain/field_page.h"

#include <algorithm>

#include "diag/words.h"
#include "driver/explain/explain_names.h"
#include "driver/explain/without.h"
#include "rules/rule.h"
#include "target/target_pack.h"

namespace trainyard {
namespace {

void put(Tree& tree, NodeId map, std::string_view key, std::string_view text) {
  if (!text.empty()) tree.append(map, key, tree.add_string(tree.intern(text)));
}

/// A value of a schema, which is JSON.
NodeId add_value(Tree& tree, std::string_view json) {
  if (json == "true" || json == "false") return tree.add_bool(json == "true");
  const bool is_number = json.find_first_not_of("-0123456789") == json.npos;
  if (is_number) return tree.add(Kind::Int, tree.intern(json));
  return tree.add_string(tree.intern(plain_json(json)));
}

void put(Tree& tree, NodeId map, const FieldFacts& facts) {
  put(tree, map, "name", facts.name);
  put(tree, map, "type", facts.type);
  tree.append(map, "required", tree.add_bool(facts.required));
  put(tree, map, "description", facts.description);
  if (!facts.default_value.empty()) {
    tree.append(map, "default", add_value(tree, facts.default_value));
  }
  if (facts.allowed.empty()) return;
  const NodeId list = tree.add_seq();
  for (const std::string& each : facts.allowed) tree.append(list, add_value(tree, each));
  tree.append(map, "allowed", list);
}

/// Whether one of two paths is the other, or within it.
bool overlap(std::string_view a, std::string_view b) {
  const auto is_in = [](std::string_view inner, std::string_view outer) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
  };
  return is_in(a, b) || is_in(b, a);
}

bool reads(const Rule& rule, std::string_view path) {
  std::string_view rest = rule.reads;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    // The whole `spec` is read by rules that look at all fields alike.
    if (word != "spec" && overlap(word, path)) return true;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return false;
}

void put_rules(Tree& tree, NodeId map, std::string_view path) {
  const NodeId list = tree.add_seq();
  for (const Rule* rule : all_rules()) {
    if (reads(*rule, path)) tree.append(list, tree.add_string(rule->name));
  }
  tree.append(map, "readBy", list);
}

void put_refusals(Tree& tree, NodeId map, Session& session, std::string_view path) {
  const NodeId list = tree.add_seq();
  for (const TargetFacts* target : session.all_targets()) {
    for (const std::vector<Inexpressible>* limits : {&target->cannot, &target->not_yet}) {
      for (const Inexpressible& each : *limits) {
        if (!overlap(each.field, path)) continue;
        const NodeId row = tree.add_map();
        put(tree, row, "target", target->name);
        put(tree, row, "field", limit_phrase(each));
        put(tree, row, "because", each.because);
        tree.append(list, row);
      }
    }
  }
  tree.append(map, "refusedBy", list);
}

}  // namespace

std::string example_of(Session& session, std::string_view kind, std::string_view path) {
  const OwnTable examples(session, "examples.yaml");
  return std::string(examples.root()[kind][path].text());
}

NodeId add_field(Tree& tree, Session& session, const SchemaPack& pack, const SchemaKind& kind,
                 const FieldHelp& help) {
  const NodeId map = tree.add_map();
  put(tree, map, "sort", "field");
  const std::string_view name = pack.text(kind.kind);
  const std::string group(pack.text(kind.group));
  put(tree, map, "kind", name);
  put(tree, map, "apiVersion",
      group + (group.empty() ? "" : "/") + std::string(pack.text(kind.version)));
  put(tree, map, "path", help.path);
  put(tree, map, help.facts);
  if (!help.limits.empty()) {
    const NodeId limits = tree.add_map();
    for (const auto& [label, text] : help.limits) put(tree, limits, tree.intern(label), text);
    tree.append(map, "limits", limits);
  }
  const bool of_cluster = name == "Cluster" && help.path.starts_with("spec.");
  if (group == "trainyard" && (name == "TrainingJob" || of_cluster)) {
    put_rules(tree, map, of_cluster ? "cluster" + help.path.substr(4) : help.path);
  }
  if (group == "trainyard" && name == "TrainingJob") put_refusals(tree, map, session, help.path);
  put(tree, map, "example", example_of(session, name, help.path));
  const NodeId fields = tree.add_seq();
  for (const FieldFacts& each : help.fields) {
    const NodeId field = tree.add_map();
    put(tree, field, each);
    tree.append(fields, field);
  }
  tree.append(map, "fields", fields);
  return map;
}

}  // namespace trainyard
