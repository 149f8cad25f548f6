#include "convert/role_values.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

using Note = Conversion::RoleValue;

bool is_said_alike(const Conversion& job, const std::vector<const Note*>& notes) {
  const Tree& tree = job.maker.tree;
  const bool by_all = std::ranges::all_of(job.read_roles, [&](NodeId role) {
    return std::ranges::any_of(notes, [&](const Note* each) { return each->role == role; });
  });
  return by_all && std::ranges::all_of(notes, [&](const Note* each) {
           return equal(tree, notes.front()->value, tree, each->value);
         });
}

}  // namespace

void say_of_role(Conversion& job, NodeId role, std::vector<std::string_view> field, NodeId value,
                 View from, std::function<void(NodeId fields)> own) {
  job.ledger.carried(from);
  job.role_values.push_back({role, std::move(field), value, from, std::move(own)});
}

void merge_role_values(Conversion& job) {
  const std::vector<Note> notes = std::exchange(job.role_values, {});
  std::vector<const Note*> open;
  for (const Note& each : notes) open.push_back(&each);
  while (!open.empty()) {
    std::vector<const Note*> same;
    std::vector<const Note*> others;
    for (const Note* each : open) {
      (each->field == open.front()->field ? same : others).push_back(each);
    }
    const bool alike = is_said_alike(job, same);
    if (alike) job.share(same.front()->field, same.front()->value, same.front()->from);
    for (const Note* each : same) {
      if (!alike) each->own(each->role);
    }
    open = std::move(others);
  }
}

}  // namespace trainyard
