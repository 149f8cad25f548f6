#include "driver/plan/live_match.h"

#include <string_view>
#include <utility>

#include "diag/words.h"
#include "driver/plan/keeper.h"
#include "manifest/metadata.h"

namespace trainyard {

const TreeObject* LiveMatch::find(const TreeObject& object) {
  const TreeObject* found = states_->live.find(object.key);
  if (found == nullptr && object.name_space().empty()) {
    found = states_->live.find(object_key(object.object, states_->name_space));
  }
  if (found != nullptr) found_.insert(found);
  return found;
}

std::vector<const TreeObject*> LiveMatch::left() const {
  std::set<std::pair<std::string_view, std::string_view>> keepers;
  for (const TreeObject* each : found_) {
    const Keeper keeper = keeper_of(each->object);
    if (!keeper.tool.empty()) keepers.emplace(keeper.tool, keeper.name);
  }
  std::vector<const TreeObject*> left;
  for (const TreeObject& each : states_->live.objects()) {
    const Keeper keeper = keeper_of(each.object);
    const bool is_owned = has_items(get(get(each.object, "metadata"), "ownerReferences"));
    if (found_.contains(&each) || is_owned) continue;
    if (keepers.contains({keeper.tool, keeper.name})) left.push_back(&each);
  }
  return left;
}

void LiveMatch::tell_foreign(Session& session) const {
  if (!found_.empty() || states_->after.objects().empty()) return;
  tell_foreign_dump(states_->live, session.sink);
}

void tell_foreign_dump(const ObjectTree& dump, Sink& sink) {
  const auto& live = dump.objects();
  if (live.empty()) return;
  Diagnostic report(DiagnosticKind::UnknownReference, metadata_name(live.front().object)->span,
                    "the dump has no object of the tree: is it of another cluster?");
  report.severity = Severity::Warning;
  report.note("it has " + counted(static_cast<std::uint32_t>(live.size()), "object") +
              ", the first is " + shown(label_of(live.front())));
  sink.report(std::move(report));
}

}  // namespace trainyard
