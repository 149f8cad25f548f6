#include "tree/tree.h"

#include <charconv>
#include <cstdint>
#include <cstring>

#include "source/number_text.h"
#include "source/text_equal.h"

namespace trainyard {

std::string_view word(Kind kind) {
  switch (kind) {
    case Kind::Null:
      return "null";
    case Kind::Bool:
      return "boolean";
    case Kind::Int:
      return "integer";
    case Kind::Float:
      return "number";
    case Kind::String:
      return "string";
    case Kind::Seq:
      return "list";
    case Kind::Map:
      return "map";
  }
  return "value";
}

std::string word_with_article(Kind kind) {
  if (kind == Kind::Null) return "null";
  return (kind == Kind::Int ? "an " : "a ") + std::string(word(kind));
}

NodeId Tree::add_int(std::int64_t value, OriginId origin) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const auto length = static_cast<std::size_t>(end - digits);
  return add(Kind::Int, intern({digits, length}), origin);
}

void Tree::replace(NodeId parent_id, NodeId old, NodeId child) {
  Node& parent = (*this)[parent_id];
  NodeId before = kNoNode;
  for (NodeId id = parent.first; id != old; id = (*this)[id].next) before = id;
  (*this)[child].next = (*this)[old].next;
  (*this)[child].key = (*this)[old].key;
  (*this)[child].key_span = (*this)[old].key_span;
  (*this)[old].next = kNoNode;
  if (before == kNoNode) {
    parent.first = child;
  } else {
    (*this)[before].next = child;
  }
  if (parent.last == old) parent.last = child;
}

void Tree::remove(NodeId parent_id, NodeId child) {
  Node& parent = (*this)[parent_id];
  NodeId before = kNoNode;
  for (NodeId id = parent.first; id != child; id = (*this)[id].next) before = id;
  if (before == kNoNode) {
    parent.first = (*this)[child].next;
  } else {
    (*this)[before].next = (*this)[child].next;
  }
  if (parent.last == child) parent.last = before;
  (*this)[child].next = kNoNode;
  --parent.size;
}

void Tree::reorder(NodeId parent_id, const std::vector<NodeId>& children) {
  Node& parent = (*this)[parent_id];
  parent.first = parent.last = kNoNode;
  parent.size = 0;
  for (NodeId child : children) append(parent_id, child);
}

namespace {

template <class Word>
Word word_at(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// The first of `id` and those after it whose key has this size and is the same.
template <class Same>
NodeId scan(const Node* nodes, NodeId id, std::size_t size, Same is_same) {
  for (; id != kNoNode; id = nodes[id].next) {
    const std::string_view key = nodes[id].key;
    if (key.size() == size && is_same(key.data())) return id;
  }
  return kNoNode;
}

/// For keys of at least a word and at most two: those of both ends, which may overlap.
template <class Word>
NodeId scan_words(const Node* nodes, NodeId id, std::string_view key) {
  const std::size_t last = key.size() - sizeof(Word);
  const auto head = word_at<Word>(key.data());
  const auto tail = word_at<Word>(key.data() + last);
  return scan(nodes, id, key.size(), [=](const char* other) {
    return word_at<Word>(other) == head && word_at<Word>(other + last) == tail;
  });
}

/// Apart, for a call in the loop makes all of it slower.
[[gnu::noinline]] NodeId scan_long(const Node* nodes, NodeId id, std::string_view key) {
  return scan(nodes, id, key.size(),
              [key](const char* other) { return std::memcmp(other, key.data(), key.size()) == 0; });
}

}  // namespace

/// Of all that checks do this is done most often. What is to be found is looked at once, before the
/// loop.
NodeId Tree::find_entry(NodeId map, std::string_view key) const {
  const Node* const nodes = nodes_.data();
  if (nodes[map].kind != Kind::Map) return kNoNode;
  const NodeId first = nodes[map].first;
  if (key.size() > 16) return scan_long(nodes, first, key);
  if (key.size() >= 8) return scan_words<std::uint64_t>(nodes, first, key);
  if (key.size() >= 4) return scan_words<std::uint32_t>(nodes, first, key);
  if (key.size() >= 2) return scan_words<std::uint16_t>(nodes, first, key);
  if (key.size() == 1) return scan_words<char>(nodes, first, key);
  return scan(nodes, first, 0, [](const char*) { return true; });
}

NodeId Tree::copy(const Tree& from, NodeId id) {
  Node node = from[id];
  const NodeId first = node.first;
  node.text = intern(node.text);
  node.key = intern(node.key);
  node.first = node.last = node.next = kNoNode;
  node.size = 0;
  nodes_.push_back(node);
  const auto result = static_cast<NodeId>(nodes_.size() - 1);
  for (NodeId child = first; child != kNoNode; child = from[child].next) {
    append(result, copy(from, child));
  }
  return result;
}

namespace {

bool equal_nodes(const Tree& a, const Node& x, const Tree& b, const Node& y) {
  if (x.kind != y.kind || x.size != y.size || !same_text(x.text, y.text)) return false;
  for (NodeId i = x.first, j = y.first; i != kNoNode;) {
    const Node& one = a[i];
    const Node& other = b[j];
    if (!same_text(one.key, other.key) || !equal_nodes(a, one, b, other)) return false;
    i = one.next;
    j = other.next;
  }
  return true;
}

}  // namespace

bool equal(const Tree& a, NodeId a_id, const Tree& b, NodeId b_id) {
  return equal_nodes(a, a[a_id], b, b[b_id]);
}

namespace {

/// What most integers are, without a call.
std::optional<std::int64_t> few_digits(std::string_view text) {
  constexpr std::size_t kMost = 9;
  if (text.empty() || text.size() > kMost) return std::nullopt;
  std::int64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<std::int64_t> as_int64(const Node& node) {
  if (node.kind != Kind::Int) return std::nullopt;
  std::string_view text = node.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (const auto few = few_digits(text)) return few;
  return read_number(text);
}

}  // namespace trainyard
