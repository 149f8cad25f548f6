#include "convert/role_values.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

using Note = Conversion::RoleValue;

/// Groups that a program may have for itself.
bool may_be_own(const Note& note) {
  const std::string_view group = note.field.front();
  return group == "files" || group == "lifecycle" || group == "network";
}

void put_own(Conversion& job, const Note& note) {
  NodeId map = note.role;
  for (std::size_t i = 0; i + 1 < note.field.size(); ++i) map = job.map_at(map, note.field[i]);
  job.maker.put(map, note.field.back(), note.value);
}

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

void say_of_program(Conversion& job, std::vector<std::string_view> field, NodeId value, View from) {
  if (!job.has_programs) {
    job.share(field, value, from);
    return;
  }
  say_of_role(job, job.roles.back().fields, std::move(field), value, from, {});
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
      if (alike) break;
      if (job.has_programs && may_be_own(*each)) {
        put_own(job, *each);
      } else {
        each->own(each->role);
      }
    }
    open = std::move(others);
  }
}

}  // namespace trainyard
