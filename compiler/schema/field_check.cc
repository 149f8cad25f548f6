#include "schema/field_check.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/suggest.h"
#include "schema/older_release.h"
#include "schema/pack.h"
#include "schema/type_words.h"
#include "schema/value_type.h"
#include "schema/zero_values.h"
#include "tree/tree.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostPlaces = 2000;
constexpr std::size_t kMostEntries = 200;  // of one map: each unknown key looks at all of them
constexpr int kDeepest = 8;                // of what is there
constexpr int kDeepestPossible = 2;        // of what could be there

struct Place {
  const SchemaNode* schema;
  NodeId node;  // kNoNode for one that could be there
  std::string path;
};

bool stands_everywhere(std::string_view key) {
  constexpr auto words = std::to_array<std::string_view>(
      {"name", "namespace", "kind", "type", "key", "value", "values", "labels", "annotations"});
  return std::ranges::find(words, key) != words.end();
}

class Search {
 public:
  Search(const SchemaPack& pack, const Tree& tree, std::string_view key,
         const std::function<bool(const SchemaNode&)>& fits)
      : pack_(pack), tree_(tree), key_(key), fits_(fits) {}

  /// Of the nearest places that know the key the only one; "" for none or several.
  std::string nearest(Place from, bool possible) {
    std::vector<Place> level{std::move(from)};
    const int deepest = possible ? kDeepestPossible : kDeepest;
    for (int depth = 0; depth < deepest && !level.empty(); ++depth) {
      std::vector<Place> next;
      for (const Place& each : level) possible ? could_have(each, next) : has(each, next);
      if (next.size() > kMostPlaces) return {};
      std::string found;
      for (const Place& each : next) {
        if (!knows(*each.schema)) continue;
        if (!found.empty()) return {};
        found = each.path;
      }
      if (!found.empty()) return found;
      level = std::move(next);
    }
    return {};
  }

 private:
  bool knows(const SchemaNode& schema) const {
    const auto property = pack_.property(schema, key_);
    return property && fits_(pack_[*property]);
  }

  void add(SchemaId id, NodeId node, std::string path, std::vector<Place>& to) const {
    if (id != kNoLimit && id != kAnySchema) to.push_back({&pack_[id], node, std::move(path)});
  }

  static std::string joined(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }

  /// One step into what the document has; of a list, into its first item.
  void has(const Place& at, std::vector<Place>& to) const {
    if (tree_[at.node].is_seq()) {
      if (tree_[at.node].first != kNoNode) {
        add(at.schema->items, tree_[at.node].first, at.path + "[0]", to);
      }
      return;
    }
    if (tree_[at.node].size > kMostEntries) return;
    for (NodeId child : tree_.children(at.node)) {
      const std::string_view key = tree_[child].key;
      if (!is_way(key) || tree_[child].is_scalar()) continue;
      const auto property = pack_.property(*at.schema, key);
      add(property.value_or(at.schema->additional), child, joined(at.path, key), to);
    }
  }

  void could_have(const Place& at, std::vector<Place>& to) const {
    for (const SchemaProperty& each : pack_.properties(*at.schema)) {
      const std::string_view key = pack_.text(each.name);
      if (is_way(key)) add(each.schema, kNoNode, joined(at.path, key), to);
    }
  }

  static bool is_way(std::string_view key) { return key != "status" && key != "metadata"; }

  const SchemaPack& pack_;
  const Tree& tree_;
  std::string_view key_;
  const std::function<bool(const SchemaNode&)>& fits_;
};

/// Where below a map a key that it does not know is a field: of what the document has there, or,
/// where that has nothing, of what it could have. "" when there is no such place, when several are
/// as near, and for words that stand everywhere. `path` is that of the map. `fits` says whether the
/// value could be that of a schema.
std::string field_below(const SchemaPack& pack, const Tree& tree, NodeId map,
                        const SchemaNode& schema, const std::string& path, std::string_view key,
                        const std::function<bool(const SchemaNode&)>& fits) {
  if (stands_everywhere(key)) return {};
  Search search(pack, tree, key, fits);
  const std::string found = search.nearest({&schema, map, path}, false);
  return found.empty() ? search.nearest({&schema, kNoNode, path}, true) : found;
}

/// Whether a field counts as there although it is left out or null.
bool is_taken_as_present(const Subject& subject, const SchemaNode& schema, const Frame& at,
                         std::string_view name, NodeId child) {
  // Inside a combination the structural schema of the place knows more than the alternative.
  for (const SchemaNode* each : {&schema, at.schema}) {
    if (each == nullptr) continue;
    const auto property = subject.pack.property(*each, name);
    if (!property) continue;
    const SchemaNode& wanted = subject.pack[*property];
    if (wanted.default_value.size != 0) return true;
    if (child != kNoNode && (*property == kAnySchema || (wanted.flags & kNullable))) return true;
  }
  return false;
}

bool is_present(const Subject& subject, const SchemaNode& schema, const Frame& at,
                std::string_view name) {
  const NodeId child = subject.tree.find(at.node, name);
  if (child != kNoNode && subject.tree[child].kind != Kind::Null) return true;
  return is_taken_as_present(subject, schema, at, name, child);
}

}  // namespace

void check_required(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  std::size_t missing = 0;
  for (PackText field : subject.pack.texts(schema.required)) {
    const std::string_view name = subject.pack.text(field);
    const NodeId child = subject.tree.find(at.node, name);
    if (child != kNoNode && subject.tree[child].kind != Kind::Null) continue;  // nearly always
    if (!is_taken_as_present(subject, schema, at, name, child)) ++missing;
  }
  if (missing == 0) return;
  std::vector<std::string> names;
  bool lenient = subject.is_builtin;
  for (PackText name : subject.pack.texts(schema.required)) {
    if (is_present(subject, schema, at, subject.pack.text(name))) continue;
    names.emplace_back(subject.pack.text(name));
    lenient = lenient && is_taken_as_zero(subject.tree, at, subject.group(), names.back());
  }
  Violation* found = lenient ? subject.warn(DiagnosticKind::MissingField, at)
                             : subject.fail(DiagnosticKind::MissingField, at);
  if (found == nullptr) return;
  found->message =
      "missing " + std::string(names.size() == 1 ? "field " : "fields ") + listed(names, "and");
  if (lenient) found->message += ", which counts as empty";
}

void check_property_count(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  const std::uint32_t least = schema.min_properties;
  const std::uint32_t most = schema.max_properties;
  if (least == 0 && most == kNoLimit) return;
  std::uint32_t count = 0;
  for (NodeId child : subject.tree.children(at.node)) {
    const auto property = subject.pack.property(schema, subject.tree[child].key);
    const SchemaId wanted = property.value_or(schema.additional);
    const bool dropped = subject.tree[child].kind == Kind::Null && wanted != kNoLimit &&
                         wanted != kAnySchema && !(subject.pack[wanted].flags & kNullable) &&
                         (property || subject.pack[wanted].default_value.size == 0);
    if (!dropped) ++count;
  }
  const SchemaNode& structure = at.schema == nullptr ? schema : *at.schema;
  for (const SchemaProperty& each : subject.pack.properties(structure)) {
    if (subject.pack[each.schema].default_value.size == 0) continue;
    const NodeId child = subject.tree.find(at.node, subject.pack.text(each.name));
    const bool replaced = child != kNoNode && subject.tree[child].kind == Kind::Null &&
                          !(subject.pack[each.schema].flags & kNullable);
    if (child == kNoNode || replaced) ++count;
  }
  if (count >= least && count <= most) return;
  if (Violation* found = subject.fail(DiagnosticKind::BadLength, at)) {
    const bool few = count < least;
    found->message = "found " + counted(count, "entry") + ", wanted at " +
                     (few ? "least " : "most ") + std::to_string(few ? least : most);
  }
}

// UNKNOWN
void report_unknown_field(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  Violation* found = subject.fail(DiagnosticKind::UnknownField, at);
  if (found == nullptr) return;
  const std::string_view key = subject.tree[at.node].key;
  found->at_key = true;
  found->message = "unknown field " + shown(key);
  note_older_release(subject, *found, at);
  constexpr std::uint32_t kFewEntries = 100;  // a search through more costs too much
  const bool has_few = subject.tree[at.up->node].size <= kFewEntries;
  std::vector<std::string_view> names;
  for (const SchemaProperty& each : subject.pack.properties(schema)) {
    const std::string_view name = subject.pack.text(each.name);
    // A field that is there already is not what was meant.
    if (!has_few || subject.tree.find(at.up->node, name) == kNoNode) names.push_back(name);
  }
  const std::string_view start = key.substr(0, key.find(':'));  // `{name:a}` is one word
  if (start.size() < key.size() && std::ranges::find(names, start) != names.end()) {
    found->message += ": a space is missing after the colon of " + shown(start);
    return;
  }
  const auto fits = [&](const SchemaNode& each) { return type_fits(each, subject.tree[at.node]); };
  found->suggestion = suggest(key, names).value_or("");
  const auto near = subject.pack.property(schema, found->suggestion);
  const bool near_fits = near && (*near == kAnySchema || fits(subject.pack[*near]));
  const std::string below = near_fits ? std::string()
                                      : field_below(subject.pack, subject.tree, at.up->node, schema,
                                                    path_of(subject.tree, *at.up), key, fits);
  // `cpu: 16` is nearly `gpu`, which is a map, and a field of `resources`.
  if (!found->suggestion.empty() && below.empty()) {
    found->message += ": did you mean " + shown(found->suggestion) + "?";
    return;
  }
  found->suggestion = {};
  // Often only the indentation is wrong.
  for (const Frame* above = at.up->up; above != nullptr; above = above->up) {
    if (above->schema == nullptr || !subject.pack.property(*above->schema, key)) continue;
    const std::string path = path_of(subject.tree, *above);
    found->message += ": it is a field of " + (path.empty() ? "the whole document" : shown(path));
    return;
  }
  if (!below.empty()) {
    found->message += ": it is a field of " + shown(below);
    return;
  }
  const auto known = subject.pack.properties(schema);
  if (names.empty() && known.size() == 1) names.push_back(subject.pack.text(known.front().name));
  if (names.empty()) return;
  if (known.size() <= 8) {
    const std::vector<std::string> words(names.begin(), names.end());
    found->message +=
        ", " + std::string(words.size() == 1 ? "known is " : "known are ") + listed(words, "and");
  }
}

}  // namespace trainyard
