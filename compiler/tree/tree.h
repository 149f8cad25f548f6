#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/arena.h"
#include "source/item_at.h"
#include "source/origin.h"
#include "source/span.h"

namespace trainyard {

/// Index of a node in its Tree.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffff;

/// What a node is. Numbers keep their text, so no precision is ever lost.
enum class Kind : std::uint8_t { Null, Bool, Int, Float, String, Seq, Map };

/// How a node was written; the writer looks at values, not at styles.
enum class Style : std::uint8_t { Plain, SingleQuoted, DoubleQuoted, Literal, Folded, Block, Flow };

std::string_view word(
    Kind kind);  // "null", "boolean", "integer", "number", "string", "list", "map"
std::string word_with_article(Kind kind);  // "an integer"; "null"

/// A set of keys with one bit each, which some keys share: it tells at a glance which keys a map
/// does not have. Constant for a literal.
using KeyBits = std::uint64_t;
constexpr KeyBits key_bit(std::string_view key) {
  if (key.empty()) return 1;
  const auto byte = [&key](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(key[i])};
  };
  const std::uint32_t mixed = byte(0) | byte(key.size() / 2) << 8U | byte(key.size() - 1) << 16U |
                              static_cast<std::uint32_t>(key.size()) << 24U;
  return KeyBits{1} << (mixed * 0x9e3779b1U >> 26U);
}

struct Node {
  std::string_view
      text;  // of a scalar, unquoted and unescaped; "true"/"false" for Bool; "" for Null
  std::string_view key;  // of a map entry
  Span span;             // the value; for a collection from its first to its last child
  Span key_span;
  NodeId first = kNoNode;
  NodeId last = kNoNode;
  NodeId next = kNoNode;
  std::uint32_t size = 0;  // number of children
  KeyBits keys = 0;        // of a map: those that it has, or had
  OriginId origin = kNoOrigin;
  Kind kind = Kind::Null;
  Style style = Style::Plain;

  bool is_scalar() const { return kind < Kind::Seq; }
  bool is_map() const { return kind == Kind::Map; }
  bool is_seq() const { return kind == Kind::Seq; }
};

/// One document: an ordered tree of nodes in one block of memory, the only model on the hot path.
///
/// Texts are views: into the source (a SourceMap outlives its trees), into constant data, or into
/// the tree's own arena by `intern`. A node is in at most one place.
class Tree {
 public:
  Tree() = default;
  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = default;

  const Node& operator[](NodeId id) const { return item_at(nodes_, id); }
  Node& operator[](NodeId id) { return item_at(nodes_, id); }
  NodeId root() const { return root_; }
  void set_root(NodeId id) { root_ = id; }
  std::size_t size() const { return nodes_.size(); }
  void reserve(std::size_t nodes) { nodes_.reserve(nodes); }

  NodeId add(Kind kind, std::string_view text = {}, OriginId origin = kNoOrigin) {
    Node& node = nodes_.emplace_back();
    node.kind = kind;
    node.text = text;
    node.origin = origin;
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  NodeId add_string(std::string_view text, OriginId origin = kNoOrigin) {
    return add(Kind::String, text, origin);
  }
  NodeId add_bool(bool value, OriginId origin = kNoOrigin) {
    return add(Kind::Bool, value ? "true" : "false", origin);
  }
  NodeId add_int(std::int64_t value, OriginId origin = kNoOrigin);
  NodeId add_map(OriginId origin = kNoOrigin) { return add(Kind::Map, {}, origin); }
  NodeId add_seq(OriginId origin = kNoOrigin) { return add(Kind::Seq, {}, origin); }

  /// Appends `child` to a list, or an entry that has its key to a map: from here on its key stays.
  void append(NodeId parent_id, NodeId child) {
    Node& parent = (*this)[parent_id];
    Node& node = (*this)[child];
    node.next = kNoNode;
    (parent.first == kNoNode ? parent.first : (*this)[parent.last].next) = child;
    parent.last = child;
    ++parent.size;
    parent.keys |= key_bit(node.key);
  }
  /// Appends an entry to a map; the caller knows that the key is new.
  void append(NodeId parent, std::string_view key, NodeId child) {
    (*this)[child].key = key;
    append(parent, child);
  }
  /// Puts `child` in the place of the child `old` of `parent`, with the key that `old` has.
  void replace(NodeId parent, NodeId old, NodeId child);
  /// Takes `child` out of `parent`.
  void remove(NodeId parent, NodeId child);
  /// Gives `parent` these children in this order; they are its own already.
  void reorder(NodeId parent, const std::vector<NodeId>& children);

  /// The value of a key, or kNoNode; also kNoNode when `map` is kNoNode or not a map.
  NodeId find(NodeId map, std::string_view key) const {
    // Most questions are about fields that are left out.
    if (map == kNoNode || ((*this)[map].keys & key_bit(key)) == 0) return kNoNode;
    return find_entry(map, key);
  }

  /// A deep copy of a node of another tree (or of this one) with texts interned here.
  NodeId copy(const Tree& from, NodeId id);

  Arena& arena() { return arena_; }
  std::string_view intern(std::string_view text) { return arena_.intern(text); }

  void clear() {
    nodes_.clear();
    arena_.clear();
    root_ = kNoNode;
  }

  class ChildIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;
    using pointer = const NodeId*;
    using reference = NodeId;

    ChildIterator() = default;
    ChildIterator(const Tree* tree, NodeId at) : tree_(tree), at_(at) {}
    NodeId operator*() const { return at_; }
    ChildIterator& operator++() {
      at_ = (*tree_)[at_].next;
      return *this;
    }
    ChildIterator operator++(int) {
      ChildIterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const ChildIterator& a, const ChildIterator& b) {
      return a.at_ == b.at_;
    }

   private:
    const Tree* tree_ = nullptr;
    NodeId at_ = kNoNode;
  };
  struct Children {
    ChildIterator first;
    ChildIterator begin() const { return first; }
    ChildIterator end() const { return {}; }
  };
  /// The children of a node in order; none for a scalar or for kNoNode.
  Children children(NodeId id) const {
    return {id == kNoNode ? ChildIterator() : ChildIterator(this, (*this)[id].first)};
  }

 private:
  NodeId find_entry(NodeId map, std::string_view key) const;

  std::vector<Node> nodes_;
  Arena arena_;
  NodeId root_ = kNoNode;
};

/// Same kinds, texts, keys and order; spans, styles and origins aside.
bool equal(const Tree& a, NodeId a_id, const Tree& b, NodeId b_id);

/// The number a scalar of kind Int holds, if it fits.
std::optional<std::int64_t> as_int64(const Node& node);

/// A node together with its tree, for code that walks down by name.
class View {
 public:
  View() = default;
  View(const Tree& tree, NodeId id) : tree_(&tree), id_(id) {}

  explicit operator bool() const { return id_ != kNoNode; }
  const Node& operator*() const { return (*tree_)[id_]; }
  const Node* operator->() const { return &(*tree_)[id_]; }
  const Tree& tree() const { return *tree_; }
  NodeId id() const { return id_; }
  Kind kind() const { return (*tree_)[id_].kind; }
  bool is_scalar() const { return (*tree_)[id_].is_scalar(); }
  std::string_view key() const { return (*tree_)[id_].key; }
  View first() const { return {*tree_, (*tree_)[id_].first}; }
  View next() const { return {*tree_, (*tree_)[id_].next}; }
  bool is_at(View other) const { return tree_ == other.tree_ && id_ == other.id_; }

  /// The value of a key; an empty view when there is none.
  View operator[](std::string_view key) const {
    return tree_ == nullptr ? View() : View(*tree_, tree_->find(id_, key));
  }
  /// The text of a scalar; "" for an empty view or a collection.
  std::string_view text() const { return id_ == kNoNode ? std::string_view() : (*tree_)[id_].text; }

 private:
  const Tree* tree_ = nullptr;
  NodeId id_ = kNoNode;
};

}  // namespace trainyard
