#include <utility>

#include "schema/rule_path.h"
#include "schema/type_words.h"
#include "schema/walk.h"

namespace trainyard {
namespace {

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

/// The rules of a value. Those of its parts have had their turn.
void Walk::rules(const SchemaNode& schema, const Frame& at) {
  ++rules_asked_;
  const SchemaNode& structure = at.schema == nullptr ? schema : *at.schema;
  const SchemaId id = id_of(structure);
  const NodeId before = old_value(at);
  for (const SchemaRule& rule : pack_.rules(schema)) {
    RuleResult result = rule_run().evaluate(rule, id, at.node, before);
    if (result.kind == RuleResult::Kind::Holds) continue;
    if (rules_.get(rule).compares && lacks_generated(structure, at.node)) continue;
    // A rule that cannot be evaluated is refused whatever was there before.
    const bool kept =
        result.kind == RuleResult::Kind::Broken && !rules_.get(rule).compares && is_kept(at);
    broken_rule(rule, std::move(result), kept, at);
  }
}

void Walk::broken_rule(const SchemaRule& rule, RuleResult&& result, bool kept, const Frame& at) {
  Violation* found = fail(DiagnosticKind::CelRule, at);
  if (found == nullptr) return;
  if (result.kind == RuleResult::Kind::Broken) place_at_field(rule, *found);
  // As the server does: what the rule wants tells more than that a field of it is missing.
  const bool says_what = result.kind == RuleResult::Kind::Failed && rule.message.size != 0;
  found->message = says_what ? std::string(pack_.text(rule.message)) +
                                   " (the rule cannot be evaluated here: " + result.message + ")"
                             : message_of(std::move(result));
  found->note = "the rule is " + shown(one_line(pack_.text(rule.rule)));
  if (rule.reason.size != 0) found->note += ", reason " + shown(pack_.text(rule.reason));
  if (kept) let_stay(*found);
}

RuleRun& Walk::rule_run() {
  if (!rule_run_) {
    const OldDocument old = old_;
    rule_run_ = std::make_unique<RuleRun>(pack_, rules_, tree_, object_, old, has_status_);
  }
  return *rule_run_;
}

/// Whether nothing but a warning was found since: a rule about a value that is wrong in itself says
/// nothing new.
bool Walk::is_sound_since(std::size_t violations) const {
  for (std::size_t i = violations; i < violations_.size(); ++i) {
    const Violation& each = violations_[i];
    if (each.severity == Severity::Error && each.kind != DiagnosticKind::CelRule) return false;
  }
  return true;
}

/// Moves a violation to the field that the rule blames, as far as it is there.
void Walk::place_at_field(const SchemaRule& rule, Violation& violation) const {
  NodeId node = violation.node;
  for (const std::string& name : rule_path(pack_.text(rule.field_path))) {
    append_key(name, violation.path);
    node = tree_.find(node, name);
    if (node != kNoNode) violation.node = node;
  }
}

/// The value that a place had before, which may have been the default.
NodeId Walk::old_value(const Frame& at) const {
  const NodeId written = old_node(at);
  if (written != kNoNode || old_.tree == nullptr || !at.in_map()) return written;
  if (old_node(*at.up) == kNoNode) return kNoNode;
  const SchemaProperty* property = default_of(at);
  return property == nullptr ? kNoNode : rules_.defaults().mark(*property);
}

/// The value that stood at a place before: by name in maps, by its keys in a list that has keys,
/// and not to be told in any other list.
NodeId Walk::old_node(const Frame& at) const {
  if (old_.tree == nullptr) return kNoNode;
  if (at.up == nullptr) return old_.root;
  const NodeId parent = old_node(*at.up);
  if (parent == kNoNode) return kNoNode;
  if (at.in_map()) {
    const NodeId found = old_.tree->find(parent, tree_[at.node].key);
    const bool null = found != kNoNode && (*old_.tree)[found].kind == Kind::Null;
    return null ? kNoNode : found;
  }
  const SchemaNode* list = at.up->schema;
  if (list == nullptr || list->list_type != ListType::Map) return kNoNode;
  const Likeness likeness(pack_, rules_.defaults());
  for (NodeId item : old_.tree->children(parent)) {
    if (likeness.same_keys(*list, {&tree_, at.node}, {old_.tree, item})) return item;
  }
  return kNoNode;
}

}  // namespace trainyard
