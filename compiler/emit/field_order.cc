#include "emit/field_order.h"

#include <algorithm>
#include <vector>

#include "emit/canonical.h"
#include "emit/shape.h"

namespace trainyard {
namespace {

class Orderer {
 public:
  Orderer(Tree& tree, bool canonical) : tree_(tree), canonical_(canonical) {
    entries_.reserve(kUsualEntries);
  }

  void order(NodeId id, FieldShape shape) {
    if (tree_[id].is_seq()) {
      for (NodeId child : tree_.children(id)) order(child, shape);
    } else if (tree_[id].is_map()) {
      order_map(id, shape);
    } else if (canonical_) {
      canonicalise_scalar(tree_, id, shape);
    }
  }

 private:
  static constexpr std::size_t kUsualEntries = 64;  // of an object's maps inside each other
  struct Entry {
    NodeId id;
    FieldFinder::Found found;
  };

  bool before(const Entry& a, const Entry& b) const {
    if (a.found.rank != b.found.rank) return a.found.rank < b.found.rank;
    return a.found.rank == FieldFinder::kUnknown && tree_[a.id].key < tree_[b.id].key;
  }

  /// Entries of the maps being worked on lie one behind the other in one vector, so that maps cost
  /// no memory of their own. Only indices stay valid while it grows.
  void order_map(NodeId id, FieldShape shape) {
    const std::size_t first = entries_.size();
    FieldFinder finder(tree_, id, shape);
    bool sorted = true;
    for (NodeId child : tree_.children(id)) {
      const Entry entry{child, finder.find(tree_[child].key)};
      sorted = sorted && (entries_.size() == first || before(entries_.back(), entry));
      entries_.push_back(entry);
      order(child, entry.found.shape);
    }
    if (!sorted) sort_entries(id, first);
    entries_.resize(first);
  }

  void sort_entries(NodeId map, std::size_t first) {
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, entries_.end(),
              [this](const Entry& a, const Entry& b) { return before(a, b); });
    sorted_.clear();
    for (auto entry = begin; entry != entries_.end(); ++entry) sorted_.push_back(entry->id);
    tree_.reorder(map, sorted_);
  }

  Tree& tree_;
  bool canonical_;
  std::vector<Entry> entries_;
  std::vector<NodeId> sorted_;
};

}  // namespace

void order_fields(Tree& tree, NodeId object) {
  if (object != kNoNode) Orderer(tree, false).order(object, FieldShape::Object);
}

void into_written_form(Tree& tree, NodeId object) {
  if (object != kNoNode) Orderer(tree, true).order(object, FieldShape::Object);
}

}  // namespace trainyard
