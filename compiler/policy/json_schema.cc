#include "policy/json_schema.h"

#include <algorithm>
#include <array>

#include "policy/json_schema_walk.h"
#include "source/characters.h"
#include "tree/node_words.h"

namespace trainyard {
namespace {

enum class Shape : std::uint8_t {
  Schema,
  SchemaList,
  SchemaMap,
  Items,         // a schema, or a list of them
  Dependencies,  // a map of schemas or lists of names
  Names,         // a list of texts
  Types,
  Number,
  Positive,
  Count,
  Flag,
  List,
  Text,
  Pattern,
  PatternMap,
  Any,
};

struct Keyword {
  std::string_view name;
  Shape shape;
};

constexpr Keyword kKeywords[] = {
    {"$comment", Shape::Text},
    {"$id", Shape::Text},
    {"$ref", Shape::Text},
    {"$schema", Shape::Text},
    {"additionalItems", Shape::Schema},
    {"additionalProperties", Shape::Schema},
    {"allOf", Shape::SchemaList},
    {"anyOf", Shape::SchemaList},
    {"const", Shape::Any},
    {"contains", Shape::Schema},
    {"contentEncoding", Shape::Any},
    {"contentMediaType", Shape::Any},
    {"default", Shape::Any},
    {"definitions", Shape::SchemaMap},
    {"dependencies", Shape::Dependencies},
    {"description", Shape::Text},
    {"else", Shape::Schema},
    {"enum", Shape::List},
    {"examples", Shape::Any},
    {"exclusiveMaximum", Shape::Number},
    {"exclusiveMinimum", Shape::Number},
    {"format", Shape::Text},
    {"if", Shape::Schema},
    {"items", Shape::Items},
    {"maxItems", Shape::Count},
    {"maxLength", Shape::Count},
    {"maxProperties", Shape::Count},
    {"maximum", Shape::Number},
    {"minItems", Shape::Count},
    {"minLength", Shape::Count},
    {"minProperties", Shape::Count},
    {"minimum", Shape::Number},
    {"multipleOf", Shape::Positive},
    {"not", Shape::Schema},
    {"oneOf", Shape::SchemaList},
    {"pattern", Shape::Pattern},
    {"patternProperties", Shape::PatternMap},
    {"properties", Shape::SchemaMap},
    {"propertyNames", Shape::Schema},
    {"readOnly", Shape::Any},
    {"required", Shape::Names},
    {"then", Shape::Schema},
    {"title", Shape::Text},
    {"type", Shape::Types},
    {"uniqueItems", Shape::Flag},
    {"x-message", Shape::Text},
};

const Keyword* find_keyword(std::string_view name) {
  const auto* found = std::ranges::find(kKeywords, name, &Keyword::name);
  return found == std::end(kKeywords) ? nullptr : found;
}

constexpr auto kTypes = std::to_array<std::string_view>(
    {"array", "boolean", "integer", "null", "number", "object", "string"});

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// A step of a JSON pointer in a URI fragment: `~1` is a slash, `~0` a tilde, `%22` a quote.
std::string unescaped(std::string_view step) {
  std::string percent;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const int high = step[i] == '%' && i + 2 < step.size() ? hex_digit(step[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(step[i + 2]) : -1;
    if (low >= 0) {
      percent += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      percent += step[i];
    }
  }
  std::string result;
  for (std::size_t i = 0; i < percent.size(); ++i) {
    const bool escape = percent[i] == '~' && i + 1 < percent.size();
    if (escape && (percent[i + 1] == '0' || percent[i + 1] == '1')) {
      result += percent[++i] == '0' ? '~' : '/';
    } else {
      result += percent[i];
    }
  }
  return result;
}

NodeId item_at(const Tree& tree, NodeId list, std::string_view index) {
  std::size_t left = 0;
  if (index.empty() || index.size() > 9) return kNoNode;
  for (char c : index) {
    if (c < '0' || c > '9') return kNoNode;
    left = left * 10 + static_cast<std::size_t>(c - '0');
  }
  for (NodeId child : tree.children(list)) {
    if (left-- == 0) return child;
  }
  return kNoNode;
}

}  // namespace

JsonSchema::JsonSchema(const Tree& tree, NodeId root, std::shared_ptr<PatternBudget> budget)
    : tree_(tree), root_(root), budget_(std::move(budget)) {
  if (root == kNoNode) {
    fault(root, "the file is empty; expected a JSON Schema");
    return;
  }
  collect_ids(root, 0);
  to_examine_.push_back(root);
  while (!to_examine_.empty()) {
    const NodeId schema = to_examine_.back();
    to_examine_.pop_back();
    examine(schema, 0);
  }
}

void JsonSchema::fault(NodeId at, std::string message) {
  faults_.push_back({at, std::move(message)});
}

void JsonSchema::collect_ids(NodeId node, std::size_t depth) {
  if (depth > kMostDepth) return;
  const NodeId id = tree_.find(node, "$id");
  if (id != kNoNode && tree_[id].kind == Kind::String && tree_.find(node, "$ref") == kNoNode) {
    identifiers_.emplace(tree_[id].text, node);
  }
  for (NodeId child : tree_.children(node)) {
    if (tree_[child].key == "enum" || tree_[child].key == "const") continue;
    collect_ids(child, depth + 1);
  }
}

NodeId JsonSchema::resolve(std::string_view reference) {
  if (reference == "#") return root_;
  if (const auto known = identifiers_.find(reference); known != identifiers_.end()) {
    return known->second;
  }
  NodeId at = root_;
  const std::size_t hash = reference.find('#');
  if (hash == std::string_view::npos) return kNoNode;
  if (hash != 0) {
    const auto base = identifiers_.find(reference.substr(0, hash));
    if (base == identifiers_.end()) return kNoNode;
    at = base->second;
  }
  std::string_view rest = reference.substr(hash + 1);
  if (!rest.empty() && !rest.starts_with('/')) return kNoNode;
  while (!rest.empty() && at != kNoNode) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string step = unescaped(rest.substr(0, end));
    rest.remove_prefix(end);
    at = tree_[at].is_seq() ? item_at(tree_, at, step) : find_within(tree_, at, step, steps_);
  }
  return at;
}

void JsonSchema::examine(NodeId schema, std::size_t depth) {
  const Node& node = tree_[schema];
  if (node.kind == Kind::Bool) return;
  if (!node.is_map()) {
    return fault(schema, "a schema is a map or a boolean; found " + described(node));
  }
  if (depth > kMostDepth) return fault(schema, "the schema is nested too deeply");
  if (!examined_.insert(schema).second) return;
  if (const NodeId reference = tree_.find(schema, "$ref");
      reference != kNoNode && tree_[reference].kind == Kind::String) {
    if (steps_ == 0) return;
    const NodeId target = resolve(tree_[reference].text);
    if (steps_ == 0) {
      fault(reference, "following the references of the schema takes too many steps");
    } else if (target == kNoNode) {
      fault(reference, "`$ref` " + shown(tree_[reference].text) +
                           " leads nowhere; expected a place in this file, such as "
                           "`#/definitions/image`");
    }
    targets_[schema] = target;
    if (target != kNoNode) to_examine_.push_back(target);
  }
  for (NodeId keyword : tree_.children(schema)) examine_keyword(keyword, depth + 1);
}

namespace {

/// What a keyword takes instead of a value that is no schema; "" for a value that is right.
std::string_view wanted_instead(Shape shape, const Node& node) {
  const bool negative = node.text.starts_with('-');
  switch (shape) {
    case Shape::Names:
      return node.is_seq() ? "" : "a list of texts";
    case Shape::List:
      return node.is_seq() ? "" : "a list";
    case Shape::Number:
      return is_number(node) ? "" : "a number";
    case Shape::Positive:
      return is_number(node) && !negative && !is_zero(node) ? "" : "a number above zero";
    case Shape::Count:
      return is_integer(node) && !negative ? "" : "a whole number from 0 on";
    case Shape::Flag:
      return node.kind == Kind::Bool ? "" : "`true` or `false`";
    case Shape::Text:
      return node.kind == Kind::String ? "" : "a text";
    default:
      return "";
  }
}

}  // namespace

/// The value of `type`: a word, or a list of them.
void JsonSchema::examine_types(NodeId types) {
  const auto known = [&](NodeId word) {
    if (std::ranges::find(kTypes, tree_[word].text) != kTypes.end()) return;
    fault(word, shown(tree_[word].text) + " is no type of JSON; expected " +
                    listed(std::vector<std::string>(kTypes.begin(), kTypes.end()), "or"));
  };
  if (!tree_[types].is_seq()) return known(types);
  for (NodeId word : tree_.children(types)) known(word);
}

void JsonSchema::examine_keyword(NodeId id, std::size_t depth) {
  const Node& node = tree_[id];
  const Keyword* keyword = find_keyword(node.key);
  if (keyword == nullptr) return;  // as the draft wants it: it says nothing
  const auto wrong = [&](std::string_view wanted) {
    fault(id, shown(node.key) + " is " + described(node) + "; expected " + std::string(wanted));
  };
  switch (keyword->shape) {
    case Shape::Any:
      return;
    case Shape::Schema:
      return examine(id, depth);
    case Shape::SchemaList:
      if (!node.is_seq() || node.size == 0) return wrong("a list of schemas");
      break;
    case Shape::SchemaMap:
    case Shape::PatternMap:
      if (!node.is_map()) return wrong("a map of schemas");
      if (keyword->shape == Shape::PatternMap) {
        for (NodeId child : tree_.children(id)) examine_pattern(id, tree_[child].key);
      }
      break;
    case Shape::Items:
      if (!node.is_seq()) return examine(id, depth);
      break;
    case Shape::Dependencies:
      if (!node.is_map()) return wrong("a map");
      for (NodeId child : tree_.children(id)) {
        if (!tree_[child].is_seq()) examine(child, depth);
      }
      return;
    case Shape::Types:
      return examine_types(id);
    case Shape::Pattern:
      if (node.kind != Kind::String) return wrong("a pattern");
      return examine_pattern(id, node.text);
    default:
      if (const auto wanted = wanted_instead(keyword->shape, node); !wanted.empty()) wrong(wanted);
      return;
  }
  for (NodeId child : tree_.children(id)) examine(child, depth);
}

void JsonSchema::examine_pattern(NodeId at, std::string_view pattern) {
  const FileId file = tree_[at].span.file;
  if (budget_->is_spent(file)) return;
  const std::size_t size = patterns_.size(pattern);
  if (size == 0) {
    return fault(at, "the pattern " + shown(pattern) +
                         " cannot be used: " + patterns_.error(pattern) +
                         "; patterns are those of RE2, without references back and looks ahead");
  }
  std::string too_much = budget_->take(file, size);
  if (!too_much.empty()) fault(at, std::move(too_much));
}

JsonSchema::Verdict JsonSchema::check(const Tree& document, NodeId root,
                                      std::vector<Breach>& breaches) {
  JsonSchemaWalk walk(tree_, targets_, patterns_, document);
  const std::size_t before = breaches.size();
  walk.run(root_, root, breaches);
  if (walk.gave_up()) return Verdict::GaveUp;
  return breaches.size() == before ? Verdict::Fits : Verdict::Breaks;
}

}  // namespace trainyard
