#include "effective/status.h"

#include <algorithm>
#include <optional>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kConditions = "conditions.";

/// What a sign found.
struct Found {
  View condition;  // or the field
  std::string what;
};

View condition_of(View status, std::string_view type) {
  for (View each : items_at(status, "conditions")) {
    if (string_at(each, "type") == type) return each;
  }
  return {};
}

/// The sum of all numbers at a path.
std::int64_t sum(View at, std::string_view path) {
  if (!at) return 0;
  if (path.empty()) return integer_of(at).value_or(0);
  const std::size_t dot = std::min(path.find('.'), path.size());
  std::string_view step = path.substr(0, dot);
  const std::string_view rest = path.substr(std::min(dot + 1, path.size()));
  if (!step.ends_with("[]")) return sum(get(at, step), rest);
  step.remove_suffix(2);
  std::int64_t all = 0;
  for (View each : items_at(at, step)) all += sum(each, rest);
  return all;
}

View field(View at, std::string_view path) {
  while (at && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = get(at, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

std::optional<Found> holds(const StatusSign& sign, View status) {
  if (sign.path.starts_with(kConditions)) {
    const std::string_view type = sign.path.substr(kConditions.size());
    const View condition = condition_of(status, type);
    if (!condition || string_at(condition, "status") != sign.value) return std::nullopt;
    if (!sign.reason.empty() && string_at(condition, "reason") != sign.reason) return std::nullopt;
    return Found{condition,
                 "condition `" + std::string(type) + "`, which is " + std::string(sign.value)};
  }
  const std::string name = "`status." + std::string(sign.path) + "`";
  if (sign.value == ">0") {
    const std::int64_t amount = sum(status, sign.path);
    if (amount <= 0) return std::nullopt;
    return Found{{}, name + ", which is " + std::to_string(amount)};
  }
  const View value = field(status, sign.path);
  if (string_of(value) != sign.value) return std::nullopt;
  return Found{{}, name + ", which is `" + std::string(sign.value) + "`"};
}

void take_details(JobState& state, View from) {
  state.reason = string_at(from, "reason");
  state.message = string_at(from, "message");
  state.since = string_at(from, "lastTransitionTime");
}

/// Two ends at once are not told apart by guessing.
void note_contradictions(const StatusKind& kind, View status, JobState& state) {
  if (!is_final(state.phase)) return;
  for (const StatusSign& other : kind.signs) {
    if (!is_final(other.phase) || other.phase == state.phase) continue;
    if (const auto found = holds(other, status)) {
      state.notes.push_back("the status says that it has " + std::string(name_of(other.phase)) +
                            ", too, by " + found->what);
    }
  }
}

}  // namespace

std::string_view name_of(JobPhase phase) {
  switch (phase) {
    case JobPhase::Pending:
      return "pending";
    case JobPhase::Suspended:
      return "suspended";
    case JobPhase::Running:
      return "running";
    case JobPhase::Restarting:
      return "restarting";
    case JobPhase::Ending:
      return "ending";
    case JobPhase::Succeeded:
      return "succeeded";
    case JobPhase::Failing:
      return "failing";
    case JobPhase::Failed:
      return "failed";
  }
  return "";
}

bool is_final(JobPhase phase) {
  return phase == JobPhase::Succeeded || phase == JobPhase::Failed;
}

const StatusKind* find_status_kind(View object) {
  const std::string_view version = string_at(object, "apiVersion");
  const std::string_view group = version.substr(0, std::min(version.find('/'), version.size()));
  const std::string_view kind = string_at(object, "kind");
  const auto kinds = status_kinds();
  const auto found = std::ranges::find_if(
      kinds, [&](const StatusKind& each) { return each.group == group && each.kind == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

JobState judge_status(const StatusKind& kind, View object) {
  const View status = get(object, "status");
  JobState state;
  if (!has_items(status)) {
    state.notes.push_back(
        "there is no status: its controller has not looked at it, or is not there");
    return state;
  }
  for (const StatusSign& sign : kind.signs) {
    const auto found = holds(sign, status);
    if (!found) continue;
    state.phase = sign.phase;
    state.decided_by = found->what;
    if (found->condition) {
      take_details(state, found->condition);
    } else if (!kind.details.empty()) {
      take_details(state, kind.details == "." ? status : get(status, kind.details));
    }
    note_contradictions(kind, status, state);
    return state;
  }
  state.notes.push_back("nothing in its status says how far it is");
  return state;
}

}  // namespace trainyard
