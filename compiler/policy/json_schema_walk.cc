#include "policy/json_schema_walk.h"

#include <algorithm>

#include "diag/credentials.h"
#include "tree/node_words.h"

namespace trainyard {
namespace {

bool is_of_type(const Node& node, std::string_view type) {
  switch (node.kind) {
    case Kind::Null:
      return type == "null";
    case Kind::Bool:
      return type == "boolean";
    case Kind::Int:
    case Kind::Float:
      return type == "number" || (type == "integer" && is_integer(node));
    case Kind::String:
      return type == "string";
    case Kind::Seq:
      return type == "array";
    case Kind::Map:
      return type == "object";
  }
  return false;
}

/// A type of JSON as our messages call it.
std::string type_phrase(std::string_view type) {
  if (type == "array") return "a list";
  if (type == "object") return "a map";
  if (type == "integer") return "an integer";
  if (type == "null") return "null";
  return "a " + std::string(type);
}

/// A value for a message; not where it may be a credential, as in the variables of a pod.
std::string value_text(const Node& node) {
  if (node.key == "value" || names_a_credential(node.key)) return "the value";
  return shown(node);
}

std::string things(std::size_t count, std::string_view thing) {
  return counted(static_cast<std::uint32_t>(count), thing);
}

}  // namespace

bool JsonSchemaWalk::step(std::size_t count) {
  if (steps_ <= count || depth_ > JsonSchema::kMostDepth) gave_up_ = true;
  if (gave_up_) return false;
  steps_ -= count;
  return true;
}

void JsonSchemaWalk::breach(NodeId rule, NodeId node, std::string message, bool at_key) {
  breaches_->push_back({node, at_key, rule, std::move(message), words_});
}

bool JsonSchemaWalk::fits(NodeId schema, NodeId node) {
  std::vector<Breach> aside;
  std::vector<Breach>* const before = breaches_;
  breaches_ = &aside;
  check(schema, node);
  breaches_ = before;
  return aside.empty();
}

void JsonSchemaWalk::check(NodeId schema, NodeId node) {
  const Node& self = at(schema);
  // Each keyword is searched for among all.
  if (!step(1 + self.size / 16)) return;
  if (self.kind == Kind::Bool) {
    if (self.text == "false") breach(schema, node, "nothing is allowed here");
    return;
  }
  const NodeId outer = words_;
  if (const NodeId own = find(schema, "x-message"); own != kNoNode) words_ = own;
  ++depth_;
  const auto target = targets_.find(schema);
  if (target != targets_.end()) {
    check(target->second, node);
  } else {
    keywords(schema, node);
  }
  --depth_;
  words_ = outer;
}

void JsonSchemaWalk::keywords(NodeId schema, NodeId node) {
  if (const NodeId rule = find(schema, "type"); rule != kNoNode) type(rule, node);
  values(schema, node);
  const Node& value = document_[node];
  if (is_number(value)) numbers(schema, node);
  if (value.kind == Kind::String) texts(schema, node);
  if (value.is_seq()) lists(schema, node);
  if (value.is_map()) maps(schema, node);
  combinations(schema, node);
}

void JsonSchemaWalk::type(NodeId rule, NodeId node) {
  const Node& value = document_[node];
  if (!at(rule).is_seq()) {
    if (!is_of_type(value, at(rule).text)) {
      breach(rule, node, "expected " + type_phrase(at(rule).text) + "; found " + described(value));
    }
    return;
  }
  std::string wanted;
  for (NodeId word : schemas_.children(rule)) {
    if (is_of_type(value, at(word).text)) return;
    wanted += (wanted.empty() ? "" : " or ") + type_phrase(at(word).text);
  }
  breach(rule, node, "expected " + wanted + "; found " + described(value));
}

void JsonSchemaWalk::values(NodeId schema, NodeId node) {
  if (const NodeId rule = find(schema, "const"); rule != kNoNode) {
    if (!json_equal(schemas_, rule, document_, node, steps_)) {
      breach(rule, node, value_text(document_[node]) + " is not " + shown(at(rule)));
    }
  }
  const NodeId rule = find(schema, "enum");
  if (rule == kNoNode) return;
  std::vector<std::string> allowed;
  for (NodeId each : schemas_.children(rule)) {
    if (json_equal(schemas_, each, document_, node, steps_)) return;
    allowed.push_back(shown(at(each)));
  }
  std::string list;
  for (std::size_t i = 0; i < allowed.size() && i < 12; ++i) {
    list += (i == 0 ? "" : ", ") + allowed[i];
  }
  breach(rule, node,
         value_text(document_[node]) + " is none of " + (list.empty() ? "nothing" : list));
}

void JsonSchemaWalk::numbers(NodeId schema, NodeId node) {
  const Node& value = document_[node];
  const auto bound = [&](std::string_view keyword, auto wrong, std::string_view words) {
    const NodeId rule = find(schema, keyword);
    if (rule == kNoNode || !wrong(compare_numbers(value, at(rule)))) return;
    breach(rule, node,
           shown(value.text) + " is not " + std::string(words) + " " + shown(at(rule).text));
  };
  bound("minimum", [](int order) { return order < 0; }, "at least");
  bound("maximum", [](int order) { return order > 0; }, "at most");
  bound("exclusiveMinimum", [](int order) { return order <= 0; }, "above");
  bound("exclusiveMaximum", [](int order) { return order >= 0; }, "below");
  const NodeId rule = find(schema, "multipleOf");
  if (rule != kNoNode && !is_multiple(value, at(rule))) {
    breach(rule, node, shown(value.text) + " is no multiple of " + shown(at(rule).text));
  }
}

bool JsonSchemaWalk::beyond(NodeId rule, std::size_t count, bool least) const {
  Node number;
  const std::string text = std::to_string(count);
  number.kind = Kind::Int;
  number.text = text;
  const int order = compare_numbers(number, at(rule));
  return least ? order < 0 : order > 0;
}

void JsonSchemaWalk::texts(NodeId schema, NodeId node) {
  const std::string_view text = document_[node].text;
  // Lengths and patterns read the whole text.
  if (!step(text.size() / 64)) return;
  const std::size_t length = characters(text);
  if (const NodeId rule = find(schema, "minLength");
      rule != kNoNode && beyond(rule, length, true)) {
    breach(rule, node,
           "the text has " + things(length, "character") + "; expected at least " +
               std::string(at(rule).text));
  }
  if (const NodeId rule = find(schema, "maxLength");
      rule != kNoNode && beyond(rule, length, false)) {
    breach(rule, node,
           "the text has " + things(length, "character") + "; expected at most " +
               std::string(at(rule).text));
  }
  const NodeId rule = find(schema, "pattern");
  if (rule == kNoNode) return;
  if (patterns_.match(at(rule).text, text) != Patterns::Result::Match) {
    breach(rule, node,
           value_text(document_[node]) + " does not fit the pattern " + shown(at(rule).text));
  }
}

void JsonSchemaWalk::lists(NodeId schema, NodeId node) {
  const std::size_t size = document_[node].size;
  if (const NodeId rule = find(schema, "minItems"); rule != kNoNode && beyond(rule, size, true)) {
    breach(rule, node, things(size, "item") + "; expected at least " + std::string(at(rule).text));
  }
  if (const NodeId rule = find(schema, "maxItems"); rule != kNoNode && beyond(rule, size, false)) {
    breach(rule, node, things(size, "item") + "; expected at most " + std::string(at(rule).text));
  }
  const NodeId items = find(schema, "items");
  const NodeId additional = find(schema, "additionalItems");
  NodeId each = items != kNoNode && at(items).is_seq() ? at(items).first : kNoNode;
  for (NodeId item : document_.children(node)) {
    if (items == kNoNode) break;
    if (!at(items).is_seq()) {
      check(items, item);
    } else if (each != kNoNode) {
      check(each, item);
      each = at(each).next;
    } else if (additional != kNoNode) {
      check(additional, item);
    }
  }
  const NodeId rule = find(schema, "uniqueItems");
  if (rule != kNoNode && at(rule).text == "true") unique(rule, node);
  const NodeId contains = find(schema, "contains");
  if (contains == kNoNode) return;
  const auto all = document_.children(node);
  const bool any =
      std::any_of(all.begin(), all.end(), [&](NodeId item) { return fits(contains, item); });
  if (!any) breach(contains, node, "no item of the list is of the kind that is wanted");
}

void JsonSchemaWalk::unique(NodeId rule, NodeId node) {
  for (NodeId a : document_.children(node)) {
    for (NodeId b = document_[a].next; b != kNoNode; b = document_[b].next) {
      if (!step()) return;
      if (json_equal(document_, a, document_, b, steps_)) {
        return breach(rule, b, "the item stands in the list before");
      }
    }
  }
}

void JsonSchemaWalk::name(NodeId rule, NodeId entry) {
  Tree alone;
  alone.set_root(alone.add_string(document_[entry].key));
  std::vector<Breach> found;
  JsonSchemaWalk walk(schemas_, targets_, patterns_, alone);
  walk.steps_ = steps_;
  walk.depth_ = depth_;
  walk.run(rule, alone.root(), found);
  steps_ = walk.steps_;
  gave_up_ = gave_up_ || walk.gave_up_;
  if (!found.empty()) breach(found.front().rule, entry, "the key: " + found.front().message, true);
}

void JsonSchemaWalk::maps(NodeId schema, NodeId node) {
  const std::size_t size = document_[node].size;
  if (const NodeId rule = find(schema, "minProperties");
      rule != kNoNode && beyond(rule, size, true)) {
    breach(rule, node, things(size, "key") + "; expected at least " + std::string(at(rule).text));
  }
  if (const NodeId rule = find(schema, "maxProperties");
      rule != kNoNode && beyond(rule, size, false)) {
    breach(rule, node, things(size, "key") + "; expected at most " + std::string(at(rule).text));
  }
  const NodeId required = find(schema, "required");
  for (NodeId key : schemas_.children(required)) {
    if (entry(node, at(key).text) != kNoNode) continue;
    if (!step()) return;
    breach(key, node, shown(at(key).text) + " is missing");
  }
  if (const NodeId rule = find(schema, "propertyNames"); rule != kNoNode) {
    for (NodeId entry : document_.children(node)) name(rule, entry);
  }
  properties(schema, node);
  if (const NodeId rule = find(schema, "dependencies"); rule != kNoNode) dependencies(rule, node);
}

void JsonSchemaWalk::properties(NodeId schema, NodeId node) {
  const NodeId named = find(schema, "properties");
  const NodeId patterned = find(schema, "patternProperties");
  const NodeId others = find(schema, "additionalProperties");
  if (named == kNoNode && patterned == kNoNode && others == kNoNode) return;
  for (NodeId entry : document_.children(node)) {
    const std::string_view key = document_[entry].key;
    bool known = false;
    if (const NodeId own = find_within(schemas_, named, key, steps_); own != kNoNode) {
      check(own, entry);
      known = true;
    }
    for (NodeId pattern : schemas_.children(patterned)) {
      if (!step()) return;
      if (patterns_.match(at(pattern).key, key) != Patterns::Result::Match) continue;
      check(pattern, entry);
      known = true;
    }
    if (known || others == kNoNode) continue;
    if (at(others).kind == Kind::Bool && at(others).text == "false") {
      breach(others, entry, shown(key) + " is not allowed", true);
    } else {
      check(others, entry);
    }
  }
}

void JsonSchemaWalk::dependencies(NodeId rule, NodeId node) {
  for (NodeId each : schemas_.children(rule)) {
    if (entry(node, at(each).key) == kNoNode) continue;
    if (!at(each).is_seq()) {
      check(each, node);
      continue;
    }
    for (NodeId key : schemas_.children(each)) {
      if (entry(node, at(key).text) != kNoNode) continue;
      if (!step()) return;
      breach(key, node,
             shown(at(key).text) + " is missing, which " + shown(at(each).key) + " needs");
    }
  }
}

void JsonSchemaWalk::combinations(NodeId schema, NodeId node) {
  for (NodeId each : schemas_.children(find(schema, "allOf"))) check(each, node);
  if (const NodeId rule = find(schema, "anyOf"); rule != kNoNode) {
    bool any = false;
    for (NodeId each : schemas_.children(rule)) any = any || fits(each, node);
    if (!any) breach(rule, node, "the value fits none of the alternatives");
  }
  if (const NodeId rule = find(schema, "oneOf"); rule != kNoNode) {
    std::size_t count = 0;
    for (NodeId each : schemas_.children(rule)) count += fits(each, node) ? 1U : 0U;
    if (count != 1) {
      breach(rule, node,
             count == 0 ? "the value fits none of the alternatives"
                        : "the value fits " + std::to_string(count) +
                              " of the alternatives; expected one");
    }
  }
  if (const NodeId rule = find(schema, "not"); rule != kNoNode && fits(rule, node)) {
    breach(rule, node, "the value is what is not allowed");
  }
  const NodeId condition = find(schema, "if");
  if (condition == kNoNode) return;
  const NodeId branch = find(schema, fits(condition, node) ? "then" : "else");
  if (branch != kNoNode) check(branch, node);
}

}  // namespace trainyard
