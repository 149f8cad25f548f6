#include "schema/rule_walk.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/property.h"
#include "schema/type_words.h"

namespace trainyard {
namespace {

/// The text between the quotes at the front of `rest`, which begins behind the opening one.
std::string quoted_name(std::string_view& rest) {
  std::string name;
  while (!rest.empty() && rest[0] != '\'') {
    if (rest[0] == '\\' && rest.size() > 1) rest.remove_prefix(1);
    name += rest[0];
    rest.remove_prefix(1);
  }
  rest.remove_prefix(std::min(std::string_view("']").size(), rest.size()));
  return name;
}

/// The names in the `fieldPath` of a rule: `.spec['a.b'].c` is `spec`, `a.b`, `c`.
std::vector<std::string> rule_path(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    if (path.starts_with("['")) {
      path.remove_prefix(2);
      names.push_back(quoted_name(path));
      continue;
    }
    if (path[0] == '.') path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end == 0) break;
    names.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return names;
}

std::string message_of(RuleResult&& result) {
  switch (result.kind) {
    case RuleResult::Kind::Failed:
      return "a rule of the schema cannot be evaluated here: " + result.message;
    case RuleResult::Kind::TooLong:
      return "a rule of the schema takes more steps than it may";
    default:
      return std::move(result.message);
  }
}

/// The rule on one line.
std::string one_line(std::string_view rule) {
  std::string line;
  for (char c : rule) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace

void RuleWalk::ask(const SchemaNode& schema, const Frame& at) {
  ++asked_;
  const SchemaNode& structure = at.schema == nullptr ? schema : *at.schema;
  const SchemaId id = subject_.id_of(structure);
  const NodeId before = old_.value(at);
  for (const SchemaRule& rule : subject_.pack.rules(schema)) {
    RuleResult result = run().evaluate(rule, id, at.node, before);
    if (result.kind == RuleResult::Kind::Holds) continue;
    if (rules_.get(rule).compares && lacks_generated(structure, at.node)) continue;
    // A rule that cannot be evaluated is refused whatever was there before.
    const bool kept = result.kind == RuleResult::Kind::Broken && !rules_.get(rule).compares &&
                      ratcheting_.is_kept(at);
    Violation* found = broken(rule, std::move(result), at);
    if (found != nullptr && kept) let_stay(*found);
  }
}

void RuleWalk::ask_of_defaults(const SchemaNode& schema, const Frame& at) {
  const NodeId parent = old_.node(at);
  if (parent == kNoNode) return;
  const SchemaPack& pack = subject_.pack;
  const Tree& old = *old_.document().tree;
  for (const SchemaProperty& each : pack.properties(schema)) {
    const SchemaNode& wanted = pack[each.schema];
    if (wanted.default_value.size == 0 || wanted.rules.count == 0) continue;
    const std::string_view name = pack.text(each.name);
    if (!is_left_out(subject_.tree, at.node, name) || is_left_out(old, parent, name)) continue;
    const NodeId before = old.find(parent, name);
    const NodeId now = rules_.defaults().mark(each);
    for (const SchemaRule& rule : pack.rules(wanted)) {
      if (now == kNoNode || !rules_.get(rule).compares) continue;
      RuleResult result = run().evaluate(rule, each.schema, now, before);
      if (result.kind == RuleResult::Kind::Holds) continue;
      Violation* found = broken(rule, std::move(result), at);
      if (found == nullptr) continue;
      append_key(name, found->path);
      found->note +=
          "; left out, it has the default " + shown(plain_json(pack.text(wanted.default_value)));
    }
  }
}

void RuleWalk::settle(const SchemaNode& schema, const Frame& at, std::size_t from) {
  if (!ratcheting_.let_stay_since(from, at) || schema.rules.count == 0) return;
  const bool is_null = subject_.tree[at.node].kind == Kind::Null;
  if (!is_null && subject_.findings.is_sound_since(from)) ask(schema, at);
}

Violation* RuleWalk::broken(const SchemaRule& rule, RuleResult&& result, const Frame& at) {
  Violation* found = subject_.fail(DiagnosticKind::CelRule, at);
  if (found == nullptr) return nullptr;
  const SchemaPack& pack = subject_.pack;
  if (result.kind == RuleResult::Kind::Broken) place_at_field(rule, *found);
  // As the server does: what the rule wants tells more than that a field of it is missing.
  const bool says_what = result.kind == RuleResult::Kind::Failed && rule.message.size != 0;
  found->message = says_what ? std::string(pack.text(rule.message)) +
                                   " (the rule cannot be evaluated here: " + result.message + ")"
                             : message_of(std::move(result));
  found->note = "the rule is " + shown(one_line(pack.text(rule.rule)));
  if (rule.reason.size != 0) found->note += ", reason " + shown(pack.text(rule.reason));
  return found;
}

RuleRun& RuleWalk::run() {
  if (!run_) {
    run_ = std::make_unique<RuleRun>(subject_.pack, rules_, subject_.tree, subject_.object,
                                     old_.document(), subject_.has_status());
  }
  return *run_;
}

/// Moves a violation to the field that the rule blames, as far as it is there.
void RuleWalk::place_at_field(const SchemaRule& rule, Violation& violation) const {
  NodeId node = violation.node;
  for (const std::string& name : rule_path(subject_.pack.text(rule.field_path))) {
    append_key(name, violation.path);
    node = subject_.tree.find(node, name);
    if (node != kNoNode) violation.node = node;
  }
}

/// Whether a value leaves something out that the server will generate: its new value is then
/// unknown.
bool RuleWalk::lacks_generated(const SchemaNode& schema, NodeId node) const {
  const SchemaPack& pack = subject_.pack;
  const Tree& tree = subject_.tree;
  if (!tree[node].is_map() && !tree[node].is_seq()) return false;
  for (const SchemaProperty& each : pack.properties(schema)) {
    const bool generated = (pack[each.schema].flags & kGenerated) != 0;
    if (generated && is_left_out(tree, node, pack.text(each.name))) return true;
  }
  for (NodeId child : tree.children(node)) {
    const SchemaId below = tree[node].is_seq()
                               ? schema.items
                               : pack.property(schema, tree[child].key).value_or(schema.additional);
    if (below != kNoLimit && lacks_generated(pack[below], child)) return true;
  }
  return false;
}

}  // namespace trainyard
