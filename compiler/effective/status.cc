#include "effective/status.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What a sign found.
struct Found {
  View condition;  // or the field
  std::string what;
};

/// The sum of the numbers at a path; `missing` for each item that has none. Nothing when the path
/// leads nowhere.
std::optional<std::int64_t> count(View at, std::string_view path, std::int64_t missing) {
  if (!at) return std::nullopt;
  if (path.empty()) return integer_of(at);
  const std::size_t dot = std::min(path.find('.'), path.size());
  std::string_view step = path.substr(0, dot);
  const std::string_view rest = path.substr(std::min(dot + 1, path.size()));
  const bool is_list = step.ends_with("[]");
  if (is_list) step.remove_suffix(2);
  const View next = step == "*" ? at : get(at, step);
  if (!is_list && step != "*") return count(next, rest, missing);
  if (!next || !(is_list ? next->is_seq() : next->is_map())) return std::nullopt;
  std::int64_t all = 0;
  for (View each : Items(next)) all += count(each, rest, missing).value_or(missing);
  return all;
}

std::string in_status(std::string_view path) {
  return "`status." + std::string(path) + "`";
}

std::optional<Found> holds(const StatusSign& sign, View status) {
  if (!sign.condition.empty()) {
    const View condition = condition_of(status, sign.condition);
    if (!condition || string_at(condition, "status") != sign.is) return std::nullopt;
    if (!sign.reason.empty() && string_at(condition, "reason") != sign.reason) return std::nullopt;
    return Found{condition, "condition `" + std::string(sign.condition) + "`, which is " +
                                std::string(sign.is)};
  }
  if (!sign.some.empty()) {
    const std::int64_t amount = count(status, sign.some, 0).value_or(0);
    if (amount <= 0) return std::nullopt;
    return Found{{}, in_status(sign.some) + ", which is " + std::to_string(amount)};
  }
  if (string_of(field_at(status, sign.field)) != sign.is) return std::nullopt;
  return Found{{}, in_status(sign.field) + ", which is `" + std::string(sign.is) + "`"};
}

/// What is missing of all that the job wants; "" where a sign does not ask, or nothing is.
std::string what_is_missing(const StatusSign& sign, const JobKind& kind, View object) {
  const auto all = sign.all.empty() ? std::nullopt : wanted_by(kind, object);
  if (!all) return {};
  std::optional<std::int64_t> there;
  std::vector<std::string> paths;
  for (std::string_view path : sign.all) {
    paths.push_back("status." + std::string(path));
    if (const auto found = count(get(object, "status"), path, 0)) {
      there = there.value_or(0) + *found;
    }
  }
  if (!there || *there >= *all) return {};
  return listed(paths, "and") + (paths.size() == 1 ? " counts " : " count ") +
         std::to_string(*there) + " of its " + std::to_string(*all) + " " +
         std::string(kind.counts);
}

void take_details(JobState& state, View from) {
  state.reason = string_at(from, "reason");
  state.message = string_at(from, "message");
  state.since = string_at(from, "lastTransitionTime");
}

/// When a job ended whose kind has no condition for that, such as a RayJob.
void take_end(JobState& state, View status) {
  for (std::string_view field : {"completionTime", "endTime"}) {
    if (state.since.empty() && is_final(state.phase)) state.since = string_at(status, field);
  }
}

/// Two ends at once are not distinguished by guessing.
void note_contradictions(const JobKind& kind, View status, JobState& state) {
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

View condition_of(View status, std::string_view type) {
  for (View each : items_at(status, "conditions")) {
    if (string_at(each, "type") == type) return each;
  }
  return {};
}

std::optional<std::int64_t> wanted_by(const JobKind& kind, View object) {
  std::optional<std::int64_t> least;
  for (std::string_view path : kind.wanted) {
    const auto found = count(object, path, 1);
    if (found && (!least || *found < *least)) least = found;
  }
  return least;
}

JobState judge_status(const JobKind& kind, View object) {
  const View status = get(object, "status");
  JobState state;
  const std::string_view deleted = string_at(get(object, "metadata"), "deletionTimestamp");
  if (!deleted.empty()) {
    state.notes.push_back("it was deleted at " + std::string(deleted) +
                          ", and goes when its pods and finalizers are gone");
  }
  if (!has_items(status)) {
    state.notes.push_back(
        "there is no status: its controller has not looked at it, or is not there");
    return state;
  }
  std::string missing;  // of the phase before the one that holds
  for (const StatusSign& sign : kind.signs) {
    const auto found = holds(sign, status);
    if (!found) continue;
    if (std::string rest = what_is_missing(sign, kind, object); !rest.empty()) {
      missing = std::move(rest);
      continue;
    }
    state.phase = sign.phase;
    // A field that says `Running` is no reason to be pending.
    const bool waits = sign.phase == JobPhase::Pending && !missing.empty();
    state.decided_by = waits ? missing : found->what;
    if (!waits && !missing.empty()) state.notes.push_back(missing);
    if (found->condition) {
      take_details(state, found->condition);
    } else if (!kind.details.empty()) {
      take_details(state, kind.details == "." ? status : get(status, kind.details));
    }
    take_end(state, status);
    note_contradictions(kind, status, state);
    return state;
  }
  state.decided_by = missing;
  if (missing.empty()) state.notes.push_back("nothing in its status says how far it is");
  return state;
}

}  // namespace trainyard
