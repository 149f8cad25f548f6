#include "emit/mould.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "emit/artifact.h"
#include "emit/canonical.h"
#include "emit/field_order.h"
#include "source/text_equal.h"
#include "tree/tree_form.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostForms = 8;
constexpr std::size_t kMostFillings = 16;
constexpr std::size_t kMostNodes = 2'000;
constexpr std::size_t kMostText = 64 * 1024;
constexpr std::uint32_t kNotWritten = 0xffffffff;

/// What decides in which order the fields of an object are written, besides their names.
bool decides_order(std::string_view key) {
  return key == "kind" || key == "apiVersion";
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
  std::shared_ptr<const FormText> written;
  std::vector<std::uint32_t> scalar_of;  // by node: its place in `written`, or kNotWritten

  /// Whether `objects` have this form; fills `different`.
  bool fits(const ObjectSet& objects, std::vector<NodeId>& different) const {
    const Tree& tree = objects.tree;
    if (tree.size() != nodes.size() || objects.objects.size() != roots.size()) return false;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (objects.objects[i].root != roots[i]) return false;
    }
    different.clear();
    const auto count = static_cast<NodeId>(nodes.size());
    for (NodeId id = 0; id < count; ++id) {
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

/// How templates were filled into objects of a form, and such objects, for another plan to put its
/// texts into.
struct Mould::Filling {
  struct Changed {
    NodeId node = kNoNode;
    Kind kind = Kind::Null;
    std::string_view text;
  };

  Form* form = nullptr;
  std::uint64_t target = 0;
  std::optional<Release> release;
  FillTrace trace;
  std::size_t first_origin = 0;
  std::vector<Origin> origins;  // of templates
  std::vector<OriginId> inputs;
  ObjectSet objects;             // in their written form, with texts of the form's first objects
  std::vector<Changed> changed;  // but here; what was there
  std::vector<NodeId> own;       // and here, where templates have another text
  std::vector<NodeId> names;     // of the objects; kNoNode for none
  Arena arena;

  bool fits(const Plan& plan, std::vector<OtherText>& others, std::vector<std::string_view>& pods) {
    objects.tree.arena().clear();
    if (!trace.repeat(plan, form->nodes, objects.tree.arena(), others, pods)) return false;
    return std::ranges::none_of(
        others, [&](const OtherText& other) { return decides_order(form->nodes[other.node].key); });
  }

  /// Keeps what was filled; `others` are those of `different` that come from the plan.
  void take(const ObjectSet& from, const Origins& all, const std::vector<NodeId>& different,
            const std::vector<OtherText>& others) {
    take_origins(all);
    objects.tree.clear();
    objects.tree.reserve(from.tree.size());
    for (NodeId id = 0; id < from.tree.size(); ++id) {
      Node& node = objects.tree[objects.tree.add(Kind::Null)];
      node = from.tree[id];
      node.key = form->nodes[id].key;
      if (!node.is_scalar()) continue;
      node.kind = form->nodes[id].kind;
      node.text = form->nodes[id].text;
    }
    for (const Form::Value& each : form->canonical) {
      objects.tree[each.node].kind = each.kind;
      objects.tree[each.node].text = each.text;
    }
    for (NodeId id : different) {
      if (std::ranges::find(others, id, &OtherText::node) != others.end()) continue;
      own.push_back(id);
      objects.tree[id].kind = from.tree[id].kind;
      objects.tree[id].text = arena.intern(from.tree[id].text);
    }
    for (const Object& object : from.objects) {
      objects.add(object.root);
      const View metadata = View(objects.tree, object.root)["metadata"];
      names.push_back(metadata["name"].id());
    }
    objects.pods = from.pods;
  }

  void put(const std::vector<OtherText>& others, const std::vector<std::string_view>& pods,
           Origins& all, std::vector<NodeId>& different) {
    Tree& tree = objects.tree;
    for (const Changed& each : changed) {
      tree[each.node].kind = each.kind;
      tree[each.node].text = each.text;
    }
    changed.clear();
    different = own;
    for (const OtherText& other : others) {
      Node& node = tree[other.node];
      changed.push_back({other.node, node.kind, node.text});
      node.kind = form->nodes[other.node].kind;
      node.text = other.text;
      canonicalise_scalar(tree, other.node, form->shapes[other.node]);
      different.push_back(other.node);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != kNoNode) objects.objects[i].name = tree[names[i]].text;
    }
    for (std::size_t i = 0; i < pods.size(); ++i) objects.pods[i].role = pods[i];
    all.add_all(origins, inputs);
  }

 private:
  void take_origins(const Origins& all) {
    for (std::size_t id = first_origin; id < all.size(); ++id) {
      const auto of_this = all.inputs(static_cast<OriginId>(id));
      origins.push_back(all[static_cast<OriginId>(id)]);
      origins.back().first_input = static_cast<std::uint32_t>(inputs.size());
      inputs.insert(inputs.end(), of_this.begin(), of_this.end());
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
  if (!seen_.again(TreeForm::look_of(tree))) return false;
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
  auto written = std::make_shared<FormText>();
  write_objects(objects, written->text, nullptr, &written->scalars);
  form->scalar_of.assign(count, kNotWritten);
  for (std::size_t i = 0; i < written->scalars.size(); ++i) {
    form->scalar_of[written->scalars[i].node] = static_cast<std::uint32_t>(i);
  }
  form->written = std::move(written);
  form->number = ++last_form_;
  if (forms_.size() == kMostForms) {
    std::erase_if(fillings_, [&](const auto& each) { return each->form == forms_.back().get(); });
    forms_.pop_back();
  }
  forms_.insert(forms_.begin(), std::move(form));
}

void Mould::use(Form& form) {
  current_ = &form;
  form_ = form.number;
  form.open_up(different_, open_);
}

void Mould::into_written_form(ObjectSet& objects) {
  Form* known = find(objects);
  is_first_ = known == nullptr;
  if (known != nullptr) {
    known->give_to(objects.tree, different_);
    return use(*known);
  }
  current_ = nullptr;
  form_ = 0;
  is_first_ = false;
  different_.clear();
  if (!is_worth_keeping(objects.tree)) {
    for (const Object& object : objects.objects) {
      trainyard::into_written_form(objects.tree, object.root);
    }
    return;
  }
  learn(objects);
  is_first_ = true;
  use(*forms_.front());
}

bool Mould::fill(const Plan& plan, const TargetPack& target, const std::optional<Release>& release,
                 Origins& origins, ObjectSet& objects) {
  for (std::size_t i = 0; i < fillings_.size(); ++i) {
    Filling& known = *fillings_[i];
    const bool may_fit = known.target == target.number && known.first_origin == origins.size() &&
                         known.release == release;
    if (!may_fit || !known.fits(plan, others_, pods_)) continue;
    different_.clear();
    known.put(others_, pods_, origins, different_);
    std::swap(objects, known.objects);
    lent_ = &known;
    is_first_ = false;
    use(*known.form);
    if (i != 0) std::swap(fillings_[i], fillings_[i - 1]);
    return true;
  }
  return false;
}

void Mould::take_back(ObjectSet& objects) {
  if (lent_ == nullptr) return;
  const Filling* lent = std::exchange(lent_, nullptr);
  const auto owner =
      std::ranges::find_if(fillings_, [&](const auto& each) { return each.get() == lent; });
  if (owner == fillings_.end()) return;
  // Whoever had them may have moved them away.
  const Form& form = *lent->form;
  const bool are_there =
      objects.tree.size() == form.nodes.size() && objects.objects.size() == form.roots.size();
  if (are_there) {
    std::swap(objects, (*owner)->objects);
  } else {
    fillings_.erase(owner);
  }
}

FillTrace* Mould::trace(const Origins& origins) {
  if (seen_.is_empty()) return nullptr;  // one job alone needs none
  trace_.clear();
  first_origin_ = origins.size();
  return &trace_;
}

void Mould::keep_trace(const Plan& plan, const TargetPack& target,
                       const std::optional<Release>& release, const Origins& origins,
                       const ObjectSet& objects) {
  if (current_ == nullptr || target.number == 0) return;
  std::uint64_t look = current_->number * 1'000'003 + first_origin_;
  for (OriginId id : trace_.origins()) look = (look ^ id) * 0x9e3779b97f4a7c15U;
  // The first one of a form was seen before, as a form.
  if (!seen_fillings_.again(look) && !is_first_) return;
  auto filling = std::make_unique<Filling>();
  filling->form = current_;
  filling->target = target.number;
  filling->release = release;
  filling->first_origin = first_origin_;
  filling->trace = std::move(trace_);
  trace_ = FillTrace();
  if (!filling->fits(plan, others_, pods_)) return;
  filling->take(objects, origins, different_, others_);
  if (fillings_.size() == kMostFillings) fillings_.pop_back();
  fillings_.insert(fillings_.begin(), std::move(filling));
}

/// Writes those scalars, in the order of the text.
void Mould::write_different(const Tree& tree) {
  const std::vector<ScalarPlace>& scalars = current_->written->scalars;
  changed_.assign((scalars.size() + 63) / 64, 0);
  for (NodeId id : different_) {
    const std::uint32_t at = current_->scalar_of[id];
    if (at != kNotWritten) changed_[at / 64] |= std::uint64_t{1} << at % 64;
  }
  others_written_.clear();
  texts_written_.clear();
  TextBuffer buffer(texts_written_);
  for (std::size_t word = 0; word < changed_.size(); ++word) {
    for (std::uint64_t bits = changed_[word]; bits != 0; bits &= bits - 1) {
      const auto at = static_cast<std::uint32_t>(word * 64) +
                      static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::size_t before = buffer.size();
      write_scalar(tree[scalars[at].node], scalars[at], buffer);
      others_written_.push_back({at, static_cast<std::uint32_t>(buffer.size() - before)});
    }
  }
}

void Mould::write(const ObjectSet& objects, std::string& out) {
  if (current_ == nullptr) return write_objects(objects, out);
  write_different(objects.tree);
  const FilledForm filled{current_->written.get(), others_written_, texts_written_};
  const std::size_t before = out.size();
  out.resize(before + filled.size());
  filled.write(out.data() + before);
}

void Mould::write(const ObjectSet& objects, MouldedText& out) {
  if (current_ != nullptr && !is_first_) {
    write_different(objects.tree);
    out.add(current_->written, others_written_, texts_written_);
    return;
  }
  // The form may never come again, and nobody is to keep its text for one part.
  texts_written_.clear();
  write_objects(objects, texts_written_);
  out.add(texts_written_);
}

}  // namespace trainyard
