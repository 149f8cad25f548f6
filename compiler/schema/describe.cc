#include "schema/describe.h"

#include <algorithm>
#include <vector>

#include "diag/suggest.h"
#include "schema/type_words.h"

namespace trainyard {
namespace {

constexpr std::size_t kTextWidth = 100;
constexpr std::size_t kWidestName = 32;

/// The steps of a path; `[...]` is not a step of its own.
std::vector<std::string_view> steps_of(std::string_view path) {
  std::vector<std::string_view> steps;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end > 0) steps.push_back(path.substr(0, end));
    path.remove_prefix(end);
    if (path.starts_with("[\"")) {  // a key with dots, as diagnostics write it
      const std::size_t close = std::min(path.find("\"]"), path.size());
      steps.push_back(path.substr(2, close - 2));
      path.remove_prefix(std::min(close + 2, path.size()));
    } else if (path.starts_with('[')) {
      path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
    }
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return steps;
}

std::string scalar_word(const SchemaNode& node) {
  if (node.flags & kQuantity) return "quantity";
  if (node.flags & kIntOrString) return "integer or string";
  std::vector<std::string_view> words;
  if (node.types & kString) words.push_back("string");
  if (node.types & kNumber) words.push_back("number");
  if ((node.types & kInteger) && !(node.types & kNumber)) words.push_back("integer");
  if (node.types & kBoolean) words.push_back("boolean");
  if (node.types & kObject) words.push_back("map");
  if (node.types & kArray) words.push_back("list");
  std::string result;
  for (std::string_view each : words) result.append(result.empty() ? "" : " or ").append(each);
  return result.empty() ? "any value" : result;
}

/// Of a phrase of `scalar_word`: of each of its words.
std::string plural(std::string_view phrase) {
  if (phrase == "quantity") return "quantities";
  if (phrase == "any value") return "any values";
  constexpr std::string_view kOr = " or ";
  std::string result;
  for (std::size_t at; (at = phrase.find(kOr)) != phrase.npos;
       phrase.remove_prefix(at + kOr.size())) {
    result.append(phrase.substr(0, at)).append("s or ");
  }
  return result.append(phrase).append("s");
}

/// Appends `text` in lines of a readable width, each after `indent` spaces.
void append_wrapped(std::string_view text, std::size_t indent, std::string& out) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const bool paragraph = text.substr(end).starts_with("\n\n");
    text.remove_prefix(std::min(text.find_first_not_of(" \n", end), text.size()));
    if (column != 0 && column + 1 + word.size() > kTextWidth) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out.append(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    if (!paragraph) continue;
    out += "\n\n";
    column = 0;
  }
  if (column != 0) out += '\n';
}

std::string_view first_sentence(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && text.substr(at).starts_with("\n\n")) return text.substr(0, at);
    const bool stop =
        text[at] == '.' && (at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '\n');
    // "e.g. x", "i.e. y" and "etc. z" go on.
    if (stop && !(at >= 2 && (text[at - 2] == '.' || text.substr(0, at).ends_with("etc")))) {
      return text.substr(0, at + 1);
    }
  }
  return text;
}

class Describer {
 public:
  Describer(const SchemaPack& pack, const SchemaKind& kind) : pack_(pack), kind_(kind) {}

  FieldHelp describe(std::string_view path);

 private:
  struct Place {
    SchemaId schema = kAnySchema;
    std::string path;
    bool required = false;
  };

  bool step(Place& place, std::string_view name);
  std::string unknown(const Place& place, std::string_view name) const;
  void head(const Place& place);
  FieldFacts facts(std::string_view name, SchemaId schema, bool required) const;
  void limits(const SchemaNode& node);
  void fields(SchemaId schema);
  SchemaId entered(SchemaId schema) const;
  bool is_required(const SchemaNode& node, std::string_view name) const;
  void fact(std::string_view label, const std::string& text);

  const SchemaPack& pack_;
  const SchemaKind& kind_;
  FieldHelp help_;
};

/// The schema whose fields a path goes on with: that of the items of a list.
SchemaId Describer::entered(SchemaId schema) const {
  while (pack_[schema].items != kNoLimit && schema != kAnySchema) schema = pack_[schema].items;
  return schema;
}

bool Describer::is_required(const SchemaNode& node, std::string_view name) const {
  return std::ranges::any_of(pack_.texts(node.required),
                             [&](PackText each) { return pack_.text(each) == name; });
}

bool Describer::step(Place& place, std::string_view name) {
  SchemaId inside = entered(place.schema);
  // A field of a map's values: the key is left out, or stood in brackets.
  const SchemaId values = pack_[inside].additional;
  const bool of_values = values != kNoLimit && !pack_.property(pack_[inside], name) &&
                         pack_.property(pack_[entered(values)], name);
  if (of_values) {
    inside = entered(values);
    place.path += ".*";
  }
  const SchemaNode& node = pack_[inside];
  const SchemaId next = pack_.property(node, name).value_or(node.additional);
  if (next == kNoLimit) {
    help_.error = unknown(place, name);
    return false;
  }
  place.required = is_required(node, name);
  place.schema = next;
  if (!place.path.empty()) place.path += '.';
  place.path += name;
  return true;
}

std::string Describer::unknown(const Place& place, std::string_view name) const {
  const SchemaNode& node = pack_[entered(place.schema)];
  std::vector<std::string_view> names;
  for (const SchemaProperty& each : pack_.properties(node)) names.push_back(pack_.text(each.name));
  const std::string owner = place.path.empty() ? shown(pack_.text(kind_.kind)) : shown(place.path);
  if (names.empty()) {
    const bool open = node.flags & kPreserveUnknown || entered(place.schema) == kAnySchema;
    return owner +
           (open ? " takes any value: nothing is known about " : " has no fields, so not ") +
           shown(name);
  }
  std::string result = owner + " has no field " + shown(name);
  if (const auto near = suggest(name, names))
    return result + ": did you mean " + shown(*near) + "?";
  return result + ", only " + listed(std::vector<std::string>(names.begin(), names.end()), "and");
}

void Describer::fact(std::string_view label, const std::string& text) {
  help_.limits.emplace_back(label, text);
  help_.text.append("  ").append(label).append(": ").append(text).append("\n");
}

void Describer::head(const Place& place) {
  const std::string_view group = pack_.text(kind_.group);
  std::string& out = help_.text;
  out.append(pack_.text(kind_.kind)).append(" (").append(group);
  out.append(group.empty() ? "" : "/").append(pack_.text(kind_.version)).append(")\n");
  if (!place.path.empty()) {
    out.append(place.path).append("   ").append(type_phrase(pack_, place.schema));
    out.append(place.required ? ", required\n" : "\n");
  }
  help_.path = place.path;
  const std::string_view name = std::string_view(place.path).substr(place.path.rfind('.') + 1);
  help_.facts = facts(name, place.schema, place.required);
  const std::string_view description = help_.facts.description;
  if (description.empty()) return;
  out += '\n';
  append_wrapped(description, 2, out);
}

FieldFacts Describer::facts(std::string_view name, SchemaId schema, bool required) const {
  const SchemaNode& node = pack_[schema];
  FieldFacts result;
  result.name = name;
  result.type = type_phrase(pack_, schema);
  result.required = required;
  result.description = pack_.text(node.description);
  // The items of a list often say what the list is for.
  if (result.description.empty()) {
    result.description = pack_.text(pack_[entered(schema)].description);
  }
  for (PackText each : pack_.texts(node.enum_values)) result.allowed.emplace_back(pack_.text(each));
  result.default_value = pack_.text(node.default_value);
  return result;
}

void Describer::limits(const SchemaNode& node) {
  const std::size_t before = help_.text.size();
  std::vector<std::string> values;
  for (PackText each : pack_.texts(node.enum_values))
    values.push_back(plain_json(pack_.text(each)));
  if (!values.empty()) fact("one of", listed(values, "or"));
  if (node.default_value.size != 0) fact("default", plain_json(pack_.text(node.default_value)));
  help_.limits.clear();  // these two are facts of every field
  if (node.flags & kHasMinimum) {
    fact((node.flags & kExclusiveMinimum) ? "more than" : "at least", number_text(node.minimum));
  }
  if (node.flags & kHasMaximum) {
    fact((node.flags & kExclusiveMaximum) ? "less than" : "at most", number_text(node.maximum));
  }
  if (node.multiple_of != 0) fact("multiple of", number_text(node.multiple_of));
  const auto range = [&](std::string_view word, std::uint32_t least, std::uint32_t most) {
    if (least == 0 && most == kNoLimit) return;
    fact(word, most == kNoLimit ? "at least " + std::to_string(least)
               : least == 0     ? "at most " + std::to_string(most)
                                : std::to_string(least) + " to " + std::to_string(most));
  };
  range("characters", node.min_length, node.max_length);
  range("items", node.min_items, node.max_items);
  range("entries", node.min_properties, node.max_properties);
  if (node.pattern.size != 0) fact("pattern", std::string(pack_.text(node.pattern)));
  if (node.format.size != 0 && !(node.flags & (kQuantity | kIntOrString))) {
    fact("format", std::string(pack_.text(node.format)));
  }
  if (help_.text.size() > before) help_.text.insert(before, "\n");
}

void Describer::fields(SchemaId schema) {
  const SchemaNode* node = &pack_[entered(schema)];
  if (node->properties.count == 0 && node->additional != kNoLimit &&
      node->additional != kAnySchema) {
    node = &pack_[entered(node->additional)];
  }
  const auto properties = pack_.properties(*node);
  if (properties.empty()) return;
  std::size_t width = 0;
  for (const SchemaProperty& each : properties) {
    width = std::max<std::size_t>(width, std::min<std::size_t>(each.name.size, kWidestName));
  }
  help_.text += "\nfields (* required):\n";
  for (const SchemaProperty& each : properties) {
    const std::string_view name = pack_.text(each.name);
    help_.fields.push_back(facts(name, each.schema, is_required(*node, name)));
    help_.text += is_required(*node, name) ? "* " : "  ";
    help_.text += name;
    help_.text.append(name.size() < width ? width - name.size() : 0, ' ');
    help_.text += "  " + type_phrase(pack_, each.schema);
    const SchemaNode& field = pack_[each.schema];
    if (field.default_value.size != 0) {
      help_.text += " = " + plain_json(pack_.text(field.default_value));
    }
    help_.text += '\n';
    const std::string_view description = first_sentence(pack_.text(field.description));
    if (!description.empty()) append_wrapped(description, width + 6, help_.text);
  }
}

FieldHelp Describer::describe(std::string_view path) {
  Place place{kind_.schema, {}, false};
  for (std::string_view name : steps_of(path)) {
    if (!step(place, name)) return std::move(help_);
  }
  head(place);
  limits(pack_[place.schema]);
  fields(place.schema);
  return std::move(help_);
}

}  // namespace

std::string type_phrase(const SchemaPack& pack, SchemaId id) {
  // A schema that contains itself would never end, and people do not read more than this anyway.
  std::string phrase;
  for (int depth = 0; depth < 4; ++depth) {
    const SchemaNode& node = pack[id];
    const bool list = (node.types & kArray) && node.items != kNoLimit;
    const bool map =
        (node.types & kObject) && node.properties.count == 0 && node.additional != kNoLimit;
    if (!list && !map) {
      const std::string word = scalar_word(node);
      return phrase + (depth == 0 ? word : plural(word));
    }
    phrase += std::string(list ? "list" : "map") + (depth == 0 ? " of " : "s of ");
    id = list ? node.items : node.additional;
  }
  return phrase + "values";
}

FieldHelp describe_field(const SchemaPack& pack, const SchemaKind& kind, std::string_view path) {
  return Describer(pack, kind).describe(path);
}

}  // namespace trainyard
