#include "spec/layers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tree/node_words.h"

namespace trainyard {
namespace {

/// What one layer says at some place.
struct Part {
  std::size_t layer = 0;
  NodeId node = kNoNode;
};
using Parts = std::vector<Part>;

/// How the values of several layers become one.
enum class Way { Replace, Map, KeyedList, Set };

class LayerMerger {
 public:
  LayerMerger(const SchemaPack& pack, const std::vector<Layer>& layers, std::size_t document,
              SpecPlaces& places, Sink& sink)
      : pack_(pack), layers_(layers), document_(document), places_(places), sink_(sink) {}

  Tree merge(SchemaId schema) {
    Parts roots;
    for (std::size_t i = 0; i < layers_.size(); ++i) roots.push_back({i, layers_[i].tree->root()});
    result_.set_root(map(schema, roots, false));
    return std::move(result_);
  }

 private:
  const Node& at(Part part) const { return (*layers_[part.layer].tree)[part.node]; }
  const Tree& tree(Part part) const { return *layers_[part.layer].tree; }
  bool is_above(Part a, Part b) const {
    const std::vector<std::size_t>& below = layers_[a.layer].below;
    return std::ranges::find(below, b.layer) != below.end();
  }

  SchemaId below(SchemaId schema, std::string_view key) const {
    if (schema == kNoLimit) return kNoLimit;
    return pack_.property(pack_[schema], key).value_or(pack_[schema].additional);
  }
  PackRange keys_of(SchemaId schema) const {
    const SchemaNode& node = pack_[schema];
    if (node.merge_keys.count != 0) return node.merge_keys;
    return node.list_type == ListType::Map ? node.list_keys : PackRange{};
  }

  Way way(SchemaId schema, Part part) const {
    const Node& node = at(part);
    const bool known = schema != kNoLimit;
    if (node.is_map()) {
      return known && pack_[schema].map_type == MapType::Atomic ? Way::Replace : Way::Map;
    }
    if (!node.is_seq() || !known) return Way::Replace;
    if (pack_[schema].list_type == ListType::Set) return Way::Set;
    if (keys_of(schema).count == 0) return Way::Replace;
    for (NodeId item : tree(part).children(part.node)) {
      if (!item_key(schema, {part.layer, item})) return Way::Replace;
    }
    return Way::KeyedList;
  }

  /// What tells an item of a list with keys from the others.
  std::optional<std::string> item_key(SchemaId schema, Part item) const {
    if (!at(item).is_map()) return std::nullopt;
    std::string key;
    for (PackText each : pack_.texts(keys_of(schema))) {
      const NodeId found = tree(item).find(item.node, pack_.text(each));
      const bool absent = found == kNoNode || tree(item)[found].kind == Kind::Null;
      std::string_view text = absent ? std::string_view() : tree(item)[found].text;
      if (absent) {
        const SchemaId of_key = below(pack_[schema].items, pack_.text(each));
        if (of_key != kNoLimit) text = pack_.text(pack_[of_key].default_value);
        if (text.empty()) return std::nullopt;
        if (text.starts_with('"')) text = text.substr(1, text.size() - 2);  // JSON
      }
      key.append(text).push_back('\0');
    }
    return key;
  }

  /// The value of `parts`, which are of one place and in the order of the layers. With `nulls`, a
  /// null is a value like others. kNoNode when nothing remains.
  NodeId value(SchemaId schema, const Parts& parts, bool nulls) {
    Parts alive;
    Parts dead;
    std::vector<Way> ways;
    for (Part part : parts) ways.push_back(way(schema, part));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      bool replaced = false;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        const bool together = ways[i] == ways[j] && ways[i] != Way::Replace;
        replaced = replaced || (is_above(parts[j], parts[i]) && !together);
      }
      (replaced ? dead : alive).push_back(parts[i]);
    }
    const Way how = way(schema, alive.front());
    for (Part other : alive) {
      const bool agrees = way(schema, other) == how &&
                          (how != Way::Replace ||
                           equal(tree(alive.front()), alive.front().node, tree(other), other.node));
      if (!agrees) {
        conflict(alive.front(), other);
        return copy(alive.front());
      }
    }
    const bool keeps_nulls = nulls || (schema != kNoLimit && (pack_[schema].flags & kPartial));
    switch (how) {
      case Way::Map:
        return map(schema, alive, keeps_nulls);
      case Way::KeyedList:
        return keyed_list(schema, alive, keeps_nulls);
      case Way::Set:
        return set(alive);
      case Way::Replace:
        break;
    }
    if (at(alive.front()).kind == Kind::Null && !nulls) return kNoNode;
    remember(alive.front(), dead);
    return copy(alive.front());
  }

  NodeId map(SchemaId schema, const Parts& parts, bool nulls) {
    const bool top = path_.empty();
    const std::size_t length = path_.size();
    const NodeId made = shell(parts);
    for (const auto& [key, entries] : entries_of(parts, top)) {
      path_.append(top ? "" : ".").append(key);
      const NodeId child = value(below(schema, key), entries, nulls);
      path_.resize(length);
      if (child != kNoNode) result_.append(made, child);
    }
    return made;
  }

  struct Entries {
    std::string_view key;
    Parts parts;
  };

  /// What each key has in each layer, in the order in which keys first come.
  std::vector<Entries> entries_of(const Parts& parts, bool top) const {
    std::vector<Entries> all;
    std::unordered_map<std::string_view, std::size_t> places;
    for (Part part : parts) {
      for (NodeId child : tree(part).children(part.node)) {
        const std::string_view key = tree(part)[child].key;
        if (top && key == "extends") continue;
        const auto [place, is_new] = places.try_emplace(key, all.size());
        if (is_new) all.push_back({key, {}});
        const bool of_document = top && (key == "apiVersion" || key == "kind");
        if (of_document && part.layer != document_) continue;
        Parts& found = all[place->second].parts;
        if (found.empty() || found.back().layer != part.layer) found.push_back({part.layer, child});
      }
    }
    std::erase_if(all, [](const Entries& each) { return each.parts.empty(); });
    return all;
  }

  NodeId keyed_list(SchemaId schema, const Parts& parts, bool nulls) {
    const NodeId made = shell(parts);
    std::vector<std::pair<std::string, Parts>> items;
    std::unordered_map<std::string, std::size_t> places;  // of the first item with a key
    for (Part part : parts) {
      for (NodeId child : tree(part).children(part.node)) {
        const Part item{part.layer, child};
        const std::string key = *item_key(schema, item);
        const auto [place, is_new] = places.try_emplace(key, items.size());
        // Two items of one layer are for the schema to refuse.
        if (is_new || items[place->second].second.back().layer == part.layer) {
          items.push_back({key, {item}});
        } else {
          items[place->second].second.push_back(item);
        }
      }
    }
    const std::size_t length = path_.size();
    for (const auto& [key, of_item] : items) {
      path_.append("[").append(key.substr(0, key.find('\0'))).append("]");
      const NodeId child = value(pack_[schema].items, of_item, nulls);
      path_.resize(length);
      if (child != kNoNode) result_.append(made, child);
    }
    return made;
  }

  NodeId set(const Parts& parts) {
    const NodeId made = shell(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (NodeId item : tree(parts[i]).children(parts[i].node)) {
        bool known = false;
        for (std::size_t j = 0; j < i; ++j) {
          for (NodeId other : tree(parts[j]).children(parts[j].node)) {
            known = known || equal(tree(parts[j]), other, tree(parts[i]), item);
          }
        }
        if (!known) result_.append(made, result_.copy(tree(parts[i]), item));
      }
    }
    return made;
  }

  /// An empty collection.
  NodeId shell(const Parts& parts) {
    const auto own = std::ranges::find(parts, document_, &Part::layer);
    const Node& source = at(own == parts.end() ? parts.back() : *own);
    const NodeId made = result_.add(source.kind);
    result_[made].key = result_.intern(source.key);
    result_[made].span = source.span;
    result_[made].key_span = source.key_span;
    result_[made].style = source.style;
    return made;
  }

  NodeId copy(Part part) { return result_.copy(tree(part), part.node); }

  void remember(Part kept, const Parts& replaced) {
    for (auto each = replaced.rbegin(); each != replaced.rend(); ++each) {
      places_.add({at(kept).span, OriginKind::Replaced, at(*each).span});
    }
  }

  void conflict(Part first, Part second) {
    const bool alike = shown(at(first)) == shown(at(second));
    const auto said = [](const Node& node) {
      return node.kind == Kind::Null ? std::string("taken away") : "set to " + shown(node);
    };
    sink_
        .report(DiagnosticKind::LayerConflict, at(second).span,
                "`" + path_ + "` is " + said(at(second)) + " here and " +
                    (alike ? std::string("to another") : said(at(first))) +
                    " in another layer, and neither stands above the other")
        .at(path_)
        .also(at(first).span, "the other one")
        .note("let one of the two files extend the other, or set the field in a layer above both");
  }

  const SchemaPack& pack_;
  const std::vector<Layer>& layers_;
  std::size_t document_;
  SpecPlaces& places_;
  Sink& sink_;
  Tree result_;
  std::string path_;  // of the value that is being merged
};

}  // namespace

Tree merge_layers(const SchemaPack& pack, SchemaId schema, const std::vector<Layer>& layers,
                  std::size_t document, SpecPlaces& places, Sink& sink) {
  return LayerMerger(pack, layers, document, places, sink).merge(schema);
}

}  // namespace trainyard
