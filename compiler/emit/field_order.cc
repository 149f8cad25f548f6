#include "emit/field_order.h"

#include <algorithm>
#include <vector>

#include "emit/canonical.h"
#include "emit/shape.h"

namespace trainyard {
namespace {

class Orderer {
 public:
  Orderer(Tree& tree, bool canonical) : tree_(tree), canonical_(canonical) {}

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
  struct Entry {
    NodeId id;
    FieldFinder::Found found;
  };

  /// Entries of the maps being worked on lie one behind the other in one vector, so that maps cost
  /// no memory of their own. Only indices stay valid while it grows.
  void order_map(NodeId id, FieldShape shape) {
    const std::size_t first = entries_.size();
    FieldFinder finder(tree_, id, shape);
    for (NodeId child : tree_.children(id)) {
      entries_.push_back({child, finder.find(tree_[child].key)});
    }
    sort_entries(id, first);
    const std::size_t end = entries_.size();
    for (std::size_t i = first; i < end; ++i) {
      const Entry entry = entries_[i];
      order(entry.id, entry.found.shape);
    }
    entries_.resize(first);
  }

  void sort_entries(NodeId map, std::size_t first) {
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto before = [this](const Entry& a, const Entry& b) {
      if (a.found.rank != b.found.rank) return a.found.rank < b.found.rank;
      return a.found.rank == FieldFinder::kUnknown && tree_[a.id].key < tree_[b.id].key;
    };
    if (std::is_sorted(begin, entries_.end(), before)) return;
    std::sort(begin, entries_.end(), before);
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
