#include "schema/value_type.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "diag/suggest.h"
#include "schema/older_release.h"
#include "schema/type_words.h"
#include "schema/value_equal.h"
#include "schema/zero_values.h"

namespace trainyard {

bool type_fits(const SchemaNode& schema, const Node& node) {
  if (schema.flags & (kIntOrString | kQuantity)) {
    if (node.kind == Kind::String || node.kind == Kind::Int) return true;
    // The core API decodes `0.5` as a quantity; a custom resource wants it as a string.
    return node.kind == Kind::Float && (!(schema.flags & kIntOrString) || is_integral(node));
  }
  if (schema.types == 0) return true;
  switch (node.kind) {
    case Kind::Map:
      return schema.types & kObject;
    case Kind::Seq:
      return schema.types & kArray;
    case Kind::String:
      return schema.types & kString;
    case Kind::Bool:
      return schema.types & kBoolean;
    case Kind::Int:
      return schema.types & (kInteger | kNumber);
    case Kind::Float:
      return (schema.types & kNumber) || ((schema.types & kInteger) && is_integral(node));
    case Kind::Null:
      return false;
  }
  return false;
}

namespace {

/// A number or boolean that stands in quotes.
bool reads_as(std::string_view text, std::uint8_t types) {
  if (types & kBoolean) return text == "true" || text == "false";
  if (!(types & (kInteger | kNumber)) || text.empty() || text.size() > 18) return false;
  std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool leading_zero = digits.size() > 1 && digits[0] == '0' && digits[1] != '.';
  if (digits.empty() || leading_zero) return false;
  std::size_t points = 0;
  for (char c : digits) {
    if (c == '.') {
      ++points;
    } else if (c < '0' || c > '9') {
      return false;
    }
  }
  if (digits.front() == '.' || digits.back() == '.') return false;
  return points == 0 || (points == 1 && (types & kNumber));
}

/// What to write instead of a value of the wrong type, when that is plain to see.
std::string converted(const SchemaNode& schema, const Node& node) {
  if (node.kind == Kind::String && reads_as(node.text, schema.types)) return std::string(node.text);
  const bool scalar = node.is_scalar() && node.kind != Kind::String && node.kind != Kind::Null;
  if (scalar && (schema.types == kString || (schema.flags & kIntOrString))) {
    return quoted(node.text);
  }
  return {};
}

/// The usual spellings of a boolean in other languages.
std::optional<std::string_view> meant_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 6> yes = {"yes", "Yes", "on", "On", "True", "TRUE"};
  constexpr std::array<std::string_view, 6> no = {"no", "No", "off", "Off", "False", "FALSE"};
  for (std::string_view word : yes) {
    if (text == word) return "true";
  }
  for (std::string_view word : no) {
    if (text == word) return "false";
  }
  return std::nullopt;
}

/// Whether a value belongs to the metadata of the object, which Kubernetes reads by types of its
/// own.
bool is_in_metadata(const Tree& tree, const Frame& at) {
  const Frame* top = &at;
  while (top->up != nullptr && top->up->up != nullptr) top = top->up;
  return tree[top->node].key == "metadata";
}

}  // namespace

/// The server drops a null entry of a map before it looks at anything else, or takes the default
/// instead; a null item of a list stays and has the wrong type.
/// kubernetes/apiextensions-apiserver pkg/apiserver/schema/defaulting/prunenulls.go
void check_null(const Subject& subject, const SchemaNode& schema, const Frame& at, bool merged) {
  if (schema.flags & kNullable) {
    if (schema.enum_values.count != 0) check_enum(subject, schema, at);
    return;
  }
  if (at.in_map()) {
    // In a part that is merged into an object a null takes the field away.
    if (merged) return;
    const bool has_default = schema.default_value.size != 0;
    // Helm leaves many of them, and of a custom resource each is the same as no field. A default,
    // though, may be what the user wanted to take away.
    const bool is_custom =
        subject.kind != nullptr && !subject.is_builtin && subject.group() != "trainyard";
    if (is_custom && !has_default && !is_in_metadata(subject.tree, at)) return;
    if (Violation* found = subject.warn(DiagnosticKind::NullNotAllowed, at)) {
      const std::string_view key = subject.tree[at.node].key;
      const std::size_t colon = key.find(':');
      found->message =
          "`null` where " + wanted_types(schema) + " is wanted: " +
          (has_default
               ? "the default " + shown(plain_json(subject.pack.text(schema.default_value))) +
                     " is taken"
               : "it counts as left out") +
          // `{a:1}` is one word and no value.
          (colon == key.npos
               ? "; write a value or leave the field out"
               : "; a space is missing after the colon of " + shown(key.substr(0, colon)));
    }
    return;
  }
  const bool untyped = schema.types == 0 && !(schema.flags & (kIntOrString | kQuantity));
  if (untyped || schema.default_value.size != 0) return;
  if (subject.is_builtin && is_taken_as_empty_item(subject.tree, at, subject.group())) {
    if (Violation* found = subject.warn(DiagnosticKind::NullNotAllowed, at)) {
      found->message = "`null` where " + wanted_types(schema) +
                       " is wanted: it counts as an empty one; write a value or leave it out";
    }
    return;
  }
  if (Violation* found = subject.fail(DiagnosticKind::NullNotAllowed, at)) {
    found->message = "found `null`, wanted " + wanted_types(schema);
  }
}

void report_wrong_type(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  Violation* found = subject.fail(DiagnosticKind::WrongType, at);
  if (found == nullptr) return;
  const Node& node = subject.tree[at.node];
  found->message = "found " + described(node) + ", wanted " + wanted_types(schema);
  note_older_release(subject, *found, at);
  // A boolean where one of several words is wanted is none of them in quotes, either.
  const bool is_no_word = schema.enum_values.count != 0 && node.kind == Kind::Bool;
  if (!is_no_word) found->replacement = converted(schema, node);
  if (node.kind == Kind::String && (schema.types & kBoolean) && found->replacement.empty()) {
    found->replacement = std::string(meant_boolean(node.text).value_or(""));
  }
  if (!found->replacement.empty()) found->message += ": write `" + found->replacement + "`";
}

void check_enum(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  const auto values = subject.pack.texts(schema.enum_values);
  for (PackText each : values) {
    if (is_json(subject.tree, at.node, subject.pack.text(each))) return;
  }
  Violation* found = subject.fail(DiagnosticKind::NotInEnum, at);
  if (found == nullptr) return;
  const Node& node = subject.tree[at.node];
  std::vector<std::string> words;
  std::vector<std::string_view> plain;  // texts of the pack, so that the suggestion outlives this
  for (PackText each : values) {
    const std::string_view json = subject.pack.text(each);
    if (json == R"("")") continue;  // allowed, and nothing to advise
    words.push_back(plain_json(json));
    const bool simple = json.size() > 2 && json.front() == '"' && json.find('\\') == json.npos;
    if (simple) plain.push_back(json.substr(1, json.size() - 2));
  }
  const std::string text = node.kind == Kind::String ? shown(node.text) : shown(node);
  found->message = (words.size() == 1 ? "found " + text + ", wanted " : text + " is not one of ") +
                   listed(words, "or");
  if (node.kind != Kind::String) return;
  found->suggestion = suggest(node.text, plain).value_or("");
  const bool is_in_quotes = std::ranges::any_of(values, [&](PackText each) {
    return subject.pack.text(each) == node.text;  // `"true"` for `true`
  });
  if (!is_in_quotes) return;
  found->message += ": write " + shown(node.text) + " without quotes";
  found->replacement = std::string(node.text);
}

}  // namespace trainyard
