#include "emit/field_order.h"

#include <algorithm>
#include <vector>

#include "emit/canonical.h"
#include "shape/shape.h"

namespace trainyard {
namespace {

class Orderer {
 public:
  Orderer(Tree& tree, bool canonical) : tree_(tree), canonical_(canonical) {
    entries_.reserve(kFewEntries);
  }

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
  static constexpr std::size_t kFewEntries = 64;  // of all maps on the way to one

  struct Entry {
    NodeId id;
    FieldFinder::Found found;
  };

  bool before(const Entry& a, const Entry& b) const {
    if (a.found.rank != b.found.rank) return a.found.rank < b.found.rank;
    return a.found.rank == FieldFinder::kUnknown && tree_[a.id].key < tree_[b.id].key;
  }

  /// Most maps are in order already, by the templates.
  void order_map(NodeId id, FieldShape shape) {
    const FieldFinder finder(tree_, id, shape);
    const std::size_t begin = entries_.size();  // those before are of maps around this one
    bool sorted = true;
    for (NodeId child = tree_[id].first; child != kNoNode;) {
      const Node& node = tree_[child];
      const Entry entry{child, finder.find(node.key)};
      sorted = sorted && (entries_.size() == begin || before(entries_.back(), entry));
      entries_.push_back(entry);
      child = node.next;
    }
    if (!sorted) sort_entries(id, begin);
    const std::size_t end = entries_.size();
    for (std::size_t i = begin; i < end; ++i) {
      const Entry entry = entries_[i];
      order(entry.id, entry.found.shape);
    }
    entries_.resize(begin);
  }

  void sort_entries(NodeId map, std::size_t begin) {
    std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(begin), entries_.end(),
              [this](const Entry& a, const Entry& b) { return before(a, b); });
    sorted_.clear();
    for (std::size_t i = begin; i < entries_.size(); ++i) sorted_.push_back(entries_[i].id);
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
