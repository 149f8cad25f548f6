#include <algorithm>
#include <map>

#include "diag/words.h"
#include "source/characters.h"
#include "source/sha256.h"
#include "spec/matrix.h"
#include "spec/matrix_holes.h"

// A combination, put into the spec: what takes the place of references, its name and its labels.

namespace trainyard {
namespace {

constexpr std::string_view kLabelPrefix = "matrix.trainyard/";

constexpr std::string_view kLabelOfAll = "trainyard/matrix";

constexpr std::size_t kLongestLabel = 63;

constexpr std::size_t kHashDigits = 8;

bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

/// The text of a value as names and labels can have it: a sign in words, and nothing for a plus.
std::string spelled(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool number = i + 1 < text.size() && (is_digit(text[i + 1]) || text[i + 1] == '.');
    if (i == 0 && text[i] == '-' && number) {
      result += "minus";
    } else if (text[i] != '+' || !number) {
      result += text[i];
    }
  }
  return result;
}

/// Lower-case letters, digits and single dashes, with no dash first or last.
std::string name_word(std::string_view text) {
  std::string result;
  for (char c : text) {
    const char lower = to_lower(c);
    if (is_word(lower)) {
      result += lower;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  return result;
}

std::string label_value(std::string_view text) {
  std::string result = spelled(text);
  for (char& c : result) {
    if (!is_word(c) && c != '-' && c != '_' && c != '.') c = '-';
  }
  while (!result.empty() && !is_word(result.back())) result.pop_back();
  while (!result.empty() && !is_word(result.front())) result.erase(0, 1);
  if (result.size() <= kLongestLabel) return result;
  result.resize(kLongestLabel - kHashDigits - 1);
  return result + "-" + sha256_hex(text).substr(0, kHashDigits);
}

std::string name_ending(const Tree& tree, const Combination& combination) {
  std::string result;
  for (const ParameterValue& each : combination) {
    const std::string value = name_word(spelled(tree[each.value].text));
    const bool together = !value.empty() && is_digit(value.front());
    result += "-" + name_word(each.name) + (together || value.empty() ? "" : "-") + value;
  }
  return result;
}

std::string content_hash(const Tree& tree, const Combination& combination) {
  Sha256 hash;
  for (const ParameterValue& each : combination) {
    hash.update_field(each.name);
    hash.update_field(tree[each.value].text);
  }
  return hash.finish_hex().substr(0, kHashDigits);
}

/// Makes the document of one combination.
class Variant {
 public:
  Variant(const SchemaPack& pack, const Tree& from, const Combination& combination, Tree& to,
          SpecPlaces& places, Sink& sink)
      : pack_(pack),
        from_(from),
        combination_(combination),
        to_(to),
        places_(places),
        sink_(sink) {}

  bool make(SchemaId schema, std::string_view name_ending) {
    const std::size_t errors = sink_.error_count();
    const Node& root = from_[from_.root()];
    const NodeId made = shell(root);
    for (NodeId id : from_.children(from_.root())) {
      if (from_[id].key != "matrix") to_.append(made, copy(below(schema, from_[id]), id));
    }
    to_.set_root(made);
    for (const ParameterValue& each : combination_) {
      places_.add_parameter(from_[each.value].span, to_.intern(each.name));
    }
    mark(name_ending);
    return sink_.error_count() == errors;
  }

 private:
  NodeId shell(const Node& source) {
    const NodeId made = to_.add(source.kind, to_.intern(source.text));
    Node& node = to_[made];
    node.key = to_.intern(source.key);
    node.span = source.span;
    node.key_span = source.key_span;
    node.style = source.style;
    return made;
  }

  /// The schema of a value in what `schema` describes; kNoLimit when it says nothing.
  SchemaId below(SchemaId schema, const Node& value) const {
    if (schema == kNoLimit) return kNoLimit;
    if (value.key.empty() && pack_[schema].items != kNoLimit) return pack_[schema].items;
    return pack_.property(pack_[schema], value.key).value_or(pack_[schema].additional);
  }

  bool is_for_texts(SchemaId schema) const {
    return schema != kNoLimit && pack_[schema].types == kString &&
           (pack_[schema].flags & (kIntOrString | kQuantity)) == 0;
  }

  NodeId copy(SchemaId schema, NodeId id) {
    const Node source = from_[id];
    const NodeId made = shell(source);
    if (source.kind == Kind::String && source.text.find(kMatrixOpen) != std::string_view::npos) {
      fill(schema, source, made);
    }
    for (NodeId child : from_.children(id)) {
      const NodeId value = copy(below(schema, from_[child]), child);
      to_.append(made, value);
    }
    return made;
  }

  const ParameterValue* find(std::string_view name, Span where) {
    const auto found = std::ranges::find(combination_, name, &ParameterValue::name);
    if (found != combination_.end()) return &*found;
    std::string others;
    for (const ParameterValue& each : combination_) {
      others += (others.empty() ? "" : ", ") + std::string(each.name) + ": " +
                std::string(from_[each.value].text);
    }
    sink_.report(DiagnosticKind::UnknownParameter, where,
                 "parameter " + shown(name) + " has no value in the job of {" + others +
                     "}; expected one in each entry of `include`");
    return nullptr;
  }

  void fill(SchemaId schema, const Node& source, NodeId made) {
    const auto only = next_hole(source.text, 0);
    const bool whole = only && !only->escape && only->begin == 0 && only->end == source.text.size();
    if (whole) {
      const ParameterValue* parameter = find(only->name(), source.span);
      if (parameter == nullptr) return;
      const Node& value = from_[parameter->value];
      Node& node = to_[made];
      const bool as_text = is_for_texts(schema) && value.kind != Kind::String;
      node.kind = as_text ? Kind::String : value.kind;
      node.text = to_.intern(value.text);
      node.style = as_text ? Style::DoubleQuoted : value.style;
      node.span = value.span;
      places_.add({value.span, OriginKind::Spec, source.span});
      return;
    }
    std::string text;
    std::size_t done = 0;
    for (auto hole = next_hole(source.text, 0); hole; hole = next_hole(source.text, hole->end)) {
      text += source.text.substr(done, hole->begin - done);
      done = hole->end;
      if (hole->escape) {
        text += kMatrixOpen;
        continue;
      }
      const ParameterValue* parameter = find(hole->name(), source.span);
      if (parameter == nullptr) continue;
      const Node& value = from_[parameter->value];
      text += value.text;
      places_.add({source.span, OriginKind::Parameter, value.span, to_.intern(parameter->name)});
    }
    text += source.text.substr(done);
    to_[made].text = to_.intern(text);
    if (to_[made].style == Style::Plain) to_[made].style = Style::DoubleQuoted;
  }

  /// Name and labels that distinguish the jobs.
  void mark(std::string_view name_ending) {
    const NodeId metadata = to_.find(to_.root(), "metadata");
    const NodeId name = to_.find(metadata, "name");
    if (name == kNoNode || to_[name].kind != Kind::String) return;  // which is refused later
    const std::string base(to_[name].text);
    if (!name_ending.empty()) {
      to_[name].text = to_.intern(base + std::string(name_ending));
      for (const ParameterValue& each : combination_) {
        places_.add(
            {to_[name].span, OriginKind::Parameter, from_[each.value].span, to_.intern(each.name)});
      }
    }
    NodeId labels = to_.find(metadata, "labels");
    if (labels == kNoNode || to_[labels].kind == Kind::Null) {
      if (labels != kNoNode) to_.remove(metadata, labels);
      labels = to_.add_map();
      to_[labels].span = to_[name].span;
      to_[labels].key_span = to_[name].key_span;
      to_.append(metadata, "labels", labels);
    }
    if (!to_[labels].is_map()) return;
    const NodeId matrix = from_.find(from_.root(), "matrix");
    if (!name_ending.empty()) label(labels, kLabelOfAll, base, from_[matrix].key_span);
    for (const ParameterValue& each : combination_) {
      const Node& value = from_[each.value];
      label(labels, std::string(kLabelPrefix) + std::string(each.name), value.text, value.span);
    }
  }

  void label(NodeId labels, std::string_view key, std::string_view value, Span place) {
    if (to_.find(labels, key) != kNoNode) return;  // the user's own
    const NodeId made = to_.add_string(to_.intern(label_value(value)));
    to_[made].span = place;
    to_[made].key_span = place;
    to_.append(labels, to_.intern(key), made);
  }

  const SchemaPack& pack_;
  const Tree& from_;
  const Combination& combination_;
  Tree& to_;
  SpecPlaces& places_;
  Sink& sink_;
};

}  // namespace

std::vector<std::string> name_endings(const Tree& tree, const std::vector<Combination>& all) {
  const NodeId name = tree.find(tree.find(tree.root(), "metadata"), "name");
  const bool own = name != kNoNode && may_refer_to_matrix(tree[name].text);
  if (own) return std::vector<std::string>(all.size());
  std::vector<std::string> endings;
  std::map<std::string, std::size_t> times;
  for (const Combination& each : all) {
    endings.push_back(name_ending(tree, each));
    ++times[endings.back()];
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (times[endings[i]] > 1) endings[i] += "-" + content_hash(tree, all[i]);
  }
  return endings;
}

bool make_variant(const SchemaPack& pack, SchemaId schema, const Tree& tree,
                  const Combination& combination, std::string_view name_ending, Tree& out,
                  SpecPlaces& places, Sink& sink) {
  out.clear();
  return Variant(pack, tree, combination, out, places, sink).make(schema, name_ending);
}

}  // namespace trainyard
