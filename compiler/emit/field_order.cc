#include "emit/field_order.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emit/canonical.h"
#include "shape/shape.h"

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
    } else if (canonical_ && shape != FieldShape::Generic) {
      canonicalise_scalar(tree_, id, shape);
    }
  }

 private:
  struct Entry {
    NodeId id;
    std::uint32_t rank;
  };

  bool before(const Entry& a, const Entry& b) const {
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.rank == FieldFinder::kUnknown && tree_[a.id].key < tree_[b.id].key;
  }

  /// Most maps are in order already, by the templates.
  void order_map(NodeId id, FieldShape shape) {
    const FieldFinder finder(tree_, id, shape);
    bool sorted = true;
    Entry last{kNoNode, 0};
    for (NodeId child : tree_.children(id)) {
      const FieldFinder::Found found = finder.find(tree_[child].key);
      const Entry entry{child, found.rank};
      sorted = sorted && (last.id == kNoNode || before(last, entry));
      last = entry;
      order(child, found.shape);
    }
    if (!sorted) sort_entries(id, finder);
  }

  void sort_entries(NodeId map, const FieldFinder& finder) {
    entries_.clear();
    for (NodeId child : tree_.children(map)) {
      entries_.push_back({child, finder.find(tree_[child].key).rank});
    }
    std::ranges::sort(entries_, [this](const Entry& a, const Entry& b) { return before(a, b); });
    sorted_.clear();
    for (const Entry& entry : entries_) sorted_.push_back(entry.id);
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
