#include "tree/tree_image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace trainyard {
namespace {

constexpr std::string_view kMagic = "TYTREE01";

/// After the magic. Then follow the nodes, then the texts that the document's own does not have.
struct Head {
  std::uint32_t text_size;  // of the document
  std::uint32_t node_count;
  std::uint32_t root;
};

/// A place beyond the end of the document's text counts on in the image's own texts.
struct Place {
  std::uint32_t begin, size;
};

/// Where an unknown span begins.
constexpr std::uint32_t kUnknown = 0xffffffff;

struct Record {
  Place text, key;
  std::uint32_t span_begin, span_end, key_begin, key_end;
  std::uint32_t first, last, next, size;
  std::array<std::uint32_t, 2> keys;
  std::uint8_t kind, style;
  std::array<std::uint8_t, 2> padding;
};
static_assert(sizeof(Record) == 60);

class Maker {
 public:
  explicit Maker(std::string_view text) : text_(text) {}

  std::string image(const Tree& tree) {
    put(Head{static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(tree.size()),
             tree.root()});
    for (NodeId id = 0; id < tree.size(); ++id) put(record(tree[id]));
    return image_ + own_;
  }

 private:
  Record record(const Node& node) {
    Record r{};
    r.text = place(node.text);
    r.key = place(node.key);
    r.span_begin = node.span.known() ? node.span.begin : kUnknown;
    r.span_end = node.span.end;
    r.key_begin = node.key_span.known() ? node.key_span.begin : kUnknown;
    r.key_end = node.key_span.end;
    r.first = node.first;
    r.last = node.last;
    r.next = node.next;
    r.size = node.size;
    std::memcpy(r.keys.data(), &node.keys, sizeof node.keys);
    r.kind = static_cast<std::uint8_t>(node.kind);
    r.style = static_cast<std::uint8_t>(node.style);
    return r;
  }

  Place place(std::string_view part) {
    const auto size = static_cast<std::uint32_t>(part.size());
    if (size == 0) return {0, 0};
    const std::less_equal<const char*> not_after;
    const bool in_text = not_after(text_.data(), part.data()) &&
                         not_after(part.data() + part.size(), text_.data() + text_.size());
    if (in_text) return {static_cast<std::uint32_t>(part.data() - text_.data()), size};
    std::size_t at = own_.find(part);
    if (at == own_.npos) {
      at = own_.size();
      own_ += part;
    }
    return {static_cast<std::uint32_t>(text_.size() + at), size};
  }

  template <class Value>
  void put(const Value& value) {
    image_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string_view text_;
  std::string image_{kMagic};
  std::string own_;
};

class Loader {
 public:
  Loader(std::string_view image, std::string_view text, FileId file)
      : image_(image), text_(text), file_(file) {}

  Tree load() {
    Tree tree;
    if (!image_.starts_with(kMagic)) return tree;
    image_.remove_prefix(kMagic.size());
    Head head;
    if (!take(head) || head.text_size != text_.size() || head.root >= head.node_count) return tree;
    if (head.node_count > image_.size() / sizeof(Record)) return tree;
    own_ = image_.substr(head.node_count * sizeof(Record));
    count_ = head.node_count;
    tree.reserve(count_);
    for (std::uint32_t i = 0; i < count_; ++i) {
      Record record;
      take(record);
      if (!node(record, tree[tree.add(Kind::Null)])) return {};
    }
    tree.set_root(head.root);
    return tree;
  }

 private:
  template <class Value>
  bool take(Value& value) {
    if (image_.size() < sizeof value) return false;
    std::memcpy(&value, image_.data(), sizeof value);
    image_.remove_prefix(sizeof value);
    return true;
  }

  bool node(const Record& r, Node& node) const {
    const bool good = text(r.text, node.text) && text(r.key, node.key) && link(r.first) &&
                      link(r.last) && link(r.next) && r.kind <= static_cast<int>(Kind::Map) &&
                      r.style <= static_cast<int>(Style::Flow);
    if (!good) return false;
    if (r.span_begin != kUnknown) node.span = {file_, r.span_begin, r.span_end};
    if (r.key_begin != kUnknown) node.key_span = {file_, r.key_begin, r.key_end};
    node.first = r.first;
    node.last = r.last;
    node.next = r.next;
    node.size = r.size;
    std::memcpy(&node.keys, r.keys.data(), sizeof node.keys);
    node.kind = static_cast<Kind>(r.kind);
    node.style = static_cast<Style>(r.style);
    return true;
  }

  bool link(NodeId id) const { return id == kNoNode || id < count_; }

  bool text(Place place, std::string_view& out) const {
    const bool own = place.begin >= text_.size();
    const std::string_view from = own ? own_ : text_;
    const std::size_t begin = own ? place.begin - text_.size() : place.begin;
    if (begin > from.size() || place.size > from.size() - begin) return false;
    out = from.substr(begin, place.size);
    return true;
  }

  std::string_view image_;
  std::string_view text_;
  std::string_view own_;
  FileId file_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::string tree_image(const Tree& tree, std::string_view text) {
  return Maker(text).image(tree);
}

Tree load_tree_image(std::string_view image, std::string_view text, FileId file) {
  return Loader(image, text, file).load();
}

}  // namespace trainyard
