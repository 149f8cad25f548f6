#include "cel/list_merge.h"

#include <algorithm>
#include <vector>

#include "cel/collections.h"
#include "cel/compare.h"

namespace trainyard::cel {
namespace {

void put(const Value& list, ListRule rule, const Value& item, std::vector<Value>& items) {
  if (rule != ListRule::Plain) {
    const auto found = std::ranges::find_if(items, [&](const Value& each) {
      return rule == ListRule::Set ? equal(each, item) : same_list_key(list, each, item);
    });
    if (found != items.end()) {
      if (rule == ListRule::Keyed) *found = item;
      return;
    }
  }
  items.push_back(item);
}

}  // namespace

Value merge_lists(const Value& a, const Value& b, Context& context) {
  const ListRule rule = a.owner() == nullptr ? ListRule::Plain : a.owner()->list_rule(a.schema());
  const std::size_t more = size_of(b);
  if (!context.spend(size_of(a) + more)) return out_of_budget();
  if (rule != ListRule::Plain && !context.spend(more * (size_of(a) + more))) return out_of_budget();
  std::vector<Value> items;
  items.reserve(size_of(a) + more);
  for (Walker at(a); at; at.next()) items.push_back(at.value());
  for (Walker at(b); at; at.next()) put(a, rule, at.value(), items);
  const Value merged = context.heap.list(items);
  return rule == ListRule::Plain ? merged : merged.ruled_by(a.owner(), a.schema());
}

}  // namespace trainyard::cel
