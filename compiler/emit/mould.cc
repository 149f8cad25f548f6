#include "emit/mould.h"

#include <algorithm>
#include <bit>

#include "emit/artifact.h"
#include "emit/canonical.h"
#include "emit/field_order.h"
#include "source/same_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostForms = 8;
constexpr std::size_t kMostSeen = 16;
constexpr std::size_t kMostNodes = 2'000;
constexpr std::size_t kMostText = 64 * 1024;
constexpr std::uint32_t kNotWritten = 0xffffffff;

/// What decides in which order the fields of an object are written, besides their names.
bool decides_order(std::string_view key) {
  return key == "kind" || key == "apiVersion";
}

bool has_form_of(const Node& node, const Node& other) {
  return node.kind == other.kind && node.size == other.size && node.first == other.first &&
         node.last == other.last && node.next == other.next && node.keys == other.keys &&
         same_text(node.key, other.key);
}

/// The same for trees of the same form. Those of different forms may share it.
std::uint64_t look_of(const Tree& tree) {
  std::uint64_t look = tree.size();
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Node& node = tree[id];
    look = (look ^ node.keys ^ node.next) * 0x9e3779b97f4a7c15U;
  }
  return look;
}

}  // namespace

/// One form, with the texts of the objects from which it was learnt.
struct Mould::Form {
  struct Links {
    NodeId node;
    NodeId first;
    NodeId last;
    NodeId next;
  };
  struct Value {
    NodeId node;
    Kind kind;
    std::string_view text;
  };

  std::uint64_t number = 0;
  Arena arena;
  std::vector<Node> nodes;      // as they were filled
  std::vector<NodeId> parents;  // of nodes; kNoNode for roots and for what is in no object
  std::vector<NodeId> roots;
  std::vector<FieldShape> shapes;  // of scalars
  std::vector<Links> moved;        // by the order of fields
  std::vector<Value> canonical;    // values that are written in another way
  std::string text;
  std::vector<ScalarPlace> scalars;      // in the order of the text
  std::vector<std::uint32_t> scalar_of;  // by node: its place in `scalars`, or kNotWritten

  /// Whether `objects` have this form; fills `different`.
  bool fits(const ObjectSet& objects, std::vector<NodeId>& different) const {
    const Tree& tree = objects.tree;
    if (tree.size() != nodes.size() || objects.objects.size() != roots.size()) return false;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (objects.objects[i].root != roots[i]) return false;
    }
    different.clear();
    for (NodeId id = 0; id < nodes.size(); ++id) {
      const Node& node = tree[id];
      const Node& known = nodes[id];
      if (!has_form_of(node, known)) return false;
      if (same_text(node.text, known.text)) continue;
      if (decides_order(node.key)) return false;
      different.push_back(id);
    }
    return true;
  }

  void give_to(Tree& tree, const std::vector<NodeId>& different) const {
    for (const Links& each : moved) {
      Node& node = tree[each.node];
      node.first = each.first;
      node.last = each.last;
      node.next = each.next;
    }
    // Those that differ are put right below, from their own text.
    for (const Value& each : canonical) {
      Node& node = tree[each.node];
      if (!same_text(node.text, nodes[each.node].text)) continue;
      node.kind = each.kind;
      node.text = each.text;
    }
    for (NodeId id : different) canonicalise_scalar(tree, id, shapes[id]);
  }

  void open_up(const std::vector<NodeId>& different, NodeBits& open) const {
    open.clear(nodes.size());
    for (NodeId each : different) {
      for (NodeId id = each; id != kNoNode && !open.has(id); id = parents[id]) open.add(id);
    }
  }
};

Mould::Mould() = default;
Mould::~Mould() = default;
Mould::Mould(Mould&&) noexcept = default;
Mould& Mould::operator=(Mould&&) noexcept = default;

Mould::Form* Mould::find(const ObjectSet& objects) {
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    if (!forms_[i]->fits(objects, different_)) continue;
    if (i != 0)
      std::rotate(forms_.begin(), forms_.begin() + static_cast<std::ptrdiff_t>(i),
                  forms_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return forms_.front().get();
  }
  return nullptr;
}

/// A form that comes once costs nothing: it is learnt when it comes again.
bool Mould::is_worth_keeping(const Tree& tree) {
  if (tree.size() > kMostNodes) return false;
  const std::uint64_t look = look_of(tree);
  const auto known = std::find(seen_.begin(), seen_.end(), look);
  if (known == seen_.end()) {
    if (seen_.size() < kMostSeen) {
      seen_.push_back(look);
    } else {
      seen_[next_seen_++ % kMostSeen] = look;
    }
    return false;
  }
  std::size_t size = 0;
  for (NodeId id = 0; id < tree.size(); ++id) size += tree[id].text.size() + tree[id].key.size();
  return size <= kMostText;
}

void Mould::learn(ObjectSet& objects) {
  Tree& tree = objects.tree;
  auto form = std::make_unique<Form>();
  const auto count = static_cast<NodeId>(tree.size());
  form->nodes.reserve(count);
  for (NodeId id = 0; id < count; ++id) {
    Node& node = form->nodes.emplace_back(tree[id]);
    node.text = form->arena.intern(node.text);
    node.key = form->arena.intern(node.key);
  }
  form->parents.assign(count, kNoNode);
  for (NodeId id = 0; id < count; ++id) {
    for (NodeId child : tree.children(id)) form->parents[child] = id;
  }
  form->shapes.assign(count, FieldShape::Generic);
  for (const Object& object : objects.objects) {
    form->roots.push_back(object.root);
    trainyard::into_written_form(tree, object.root, &form->shapes);
  }
  for (NodeId id = 0; id < count; ++id) {
    const Node& now = tree[id];
    const Node& before = form->nodes[id];
    if (now.first != before.first || now.last != before.last || now.next != before.next) {
      form->moved.push_back({id, now.first, now.last, now.next});
    }
    if (now.kind != before.kind || now.text != before.text) {
      form->canonical.push_back({id, now.kind, form->arena.intern(now.text)});
    }
  }
  write_objects(objects, form->text, nullptr, &form->scalars);
  form->scalar_of.assign(count, kNotWritten);
  for (std::size_t i = 0; i < form->scalars.size(); ++i) {
    form->scalar_of[form->scalars[i].node] = static_cast<std::uint32_t>(i);
  }
  form->number = ++last_form_;
  if (forms_.size() == kMostForms) forms_.pop_back();
  forms_.insert(forms_.begin(), std::move(form));
}

void Mould::into_written_form(ObjectSet& objects) {
  current_ = find(objects);
  is_first_ = false;
  form_ = 0;
  if (current_ != nullptr) {
    current_->give_to(objects.tree, different_);
  } else {
    different_.clear();
    if (!is_worth_keeping(objects.tree)) {
      for (const Object& object : objects.objects) {
        trainyard::into_written_form(objects.tree, object.root);
      }
      return;
    }
    learn(objects);
    current_ = forms_.front().get();
    is_first_ = true;
  }
  form_ = current_->number;
  current_->open_up(different_, open_);
}

void Mould::write(const ObjectSet& objects, std::string& out) {
  if (current_ == nullptr) return write_objects(objects, out);
  const std::vector<ScalarPlace>& scalars = current_->scalars;
  changed_.assign((scalars.size() + 63) / 64, 0);
  for (NodeId id : different_) {
    const std::uint32_t at = current_->scalar_of[id];
    if (at != kNotWritten) changed_[at / 64] |= std::uint64_t{1} << at % 64;
  }
  const std::string_view text = current_->text;
  TextBuffer buffer(out);
  std::size_t taken = 0;
  for (std::size_t word = 0; word < changed_.size(); ++word) {
    for (std::uint64_t bits = changed_[word]; bits != 0; bits &= bits - 1) {
      const ScalarPlace& place =
          scalars[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      buffer.put(text.substr(taken, place.begin - taken));
      write_scalar(objects.tree[place.node], place, buffer);
      taken = place.end;
    }
  }
  buffer.put(text.substr(taken));
}

}  // namespace trainyard
