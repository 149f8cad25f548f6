#include "diagnosis/job_status.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

View metadata_of(View object) {
  return get(object, "metadata");
}

std::string label_of(View object) {
  return std::string(string_at(object, "kind")) + "/" +
         std::string(string_at(metadata_of(object), "name"));
}

/// The phase by the status of the job; of a kind whose status says nothing that is known, by that
/// of the first job that it made.
JobState state_of(const ClusterDump& dump, View job, const JobKind& kind) {
  JobState state = judge_status(kind, job);
  if (!kind.signs.empty()) return state;
  for (View made : dump.makers_of_pods(job)) {
    const JobKind* child = dump.job_kinds().find(made);
    if (made.is_at(job) || child == nullptr || child->signs.empty()) continue;
    state = judge_status(*child, made);
    if (!state.decided_by.empty()) state.decided_by += " of " + label_of(made) + ", which it made";
    return state;
  }
  state.notes = {"its status is not known to tell how far it is, and nothing that it made does"};
  return state;
}

QueueStatus queue_status(const ClusterDump& dump, View object) {
  QueueStatus queue;
  queue.object = object;
  const JobKind& kind = *dump.job_kinds().find(object);
  const View status = get(object, "status");
  queue.name = string_of(field_at(object, kind.queue));
  queue.state = judge_status(kind, object);
  queue.position = dump.position_of(object);
  const View admission = get(status, "admission");
  queue.cluster_queue = string_at(admission, "clusterQueue");
  for (View each : items_at(admission, "podSetAssignments")) {
    for (View flavor : entries_at(each, "flavors")) {
      if (std::ranges::find(queue.flavors, string_of(flavor)) == queue.flavors.end()) {
        queue.flavors.push_back(string_of(flavor));
      }
    }
  }
  if (const View admitted = condition_of(status, "Admitted");
      admitted && string_at(admitted, "status") == "True") {
    queue.admitted = string_at(admitted, "lastTransitionTime");
    return queue;
  }
  for (std::string_view type : {"Evicted", "QuotaReserved", "Unschedulable"}) {
    const View condition = condition_of(status, type);
    const bool says_no = type == "QuotaReserved" ? "False" == string_at(condition, "status")
                                                 : "True" == string_at(condition, "status");
    if (condition && says_no && queue.message.empty()) {
      queue.message = string_at(condition, "message");
    }
  }
  return queue;
}

std::string_view time_of(View event) {
  const View series = get(event, "series");
  if (series) return string_at(series, "lastObservedTime");
  const std::string_view last = string_at(event, "lastTimestamp");
  return last.empty() ? string_at(event, "eventTime") : last;
}

std::int64_t count_of(View event) {
  if (const auto count = integer_at(get(event, "series"), "count")) return *count;
  return integer_at(event, "count").value_or(1);
}

/// The events of all that belongs to a job, each text once.
class Events {
 public:
  void add(View object, const std::vector<View>& events) {
    for (View event : events) {
      const std::string_view message = string_at(event, get(event, "message") ? "message" : "note");
      const Key key{string_at(event, "reason"), message};
      const auto [place, is_new] = places_.try_emplace(key, found_.size());
      if (is_new) {
        found_.push_back({string_at(event, "type"), std::get<0>(key), message, {}, {}, 0, 0});
      }
      EventStatus& all = found_[place->second];
      if (all.about.empty()) all.about = label_of(object);
      if (objects_.emplace(place->second, &object.tree(), object.id()).second) ++all.objects;
      all.count += count_of(event);
      all.time = std::max(all.time, time_of(event));
    }
  }

  std::vector<EventStatus> run() {
    std::ranges::sort(found_, [](const EventStatus& a, const EventStatus& b) {
      return std::tie(b.time, a.about, a.reason, a.message) <
             std::tie(a.time, b.about, b.reason, b.message);
    });
    return std::move(found_);
  }

 private:
  using Key = std::tuple<std::string_view, std::string_view>;

  std::vector<EventStatus> found_;
  std::map<Key, std::size_t> places_;
  std::set<std::tuple<std::size_t, const Tree*, NodeId>> objects_;
};

void count_pods(const ClusterDump& dump, JobStatus& status) {
  for (View pod : dump.pods_of(status.job)) {
    status.pods.push_back(pod_status(pod, *status.kind, dump.job_kinds()));
    const PodStatus& added = status.pods.back();
    status.running += added.runs ? 1 : 0;
    status.succeeded += added.succeeded ? 1 : 0;
    status.failed += added.failed ? 1 : 0;
    status.restarts += added.restarts;
  }
  std::ranges::sort(status.pods, {}, [](const PodStatus& each) {
    return std::tuple(each.rank.role, each.rank.index.value_or(-1), each.name);
  });
  status.restarts += integer_of(field_at(status.job, status.kind->restarts)).value_or(0);
  status.wanted = status.pods.size();
  if (status.kind->counts == "pods") {
    const auto wanted = wanted_by(*status.kind, status.job);
    if (wanted && *wanted > 0) status.wanted = static_cast<std::size_t>(*wanted);
  }
}

/// A job runs when all its pods do, whatever its status says: a controller may count a pod that
/// cannot start, or whose node is lost. Pods that the dump lacks say nothing.
void look_at_pods(JobStatus& status) {
  if (status.state.phase != JobPhase::Running) return;
  const bool counts_jobs = !status.kind->wanted.empty() && status.kind->counts != "pods";
  const std::size_t good = status.running + status.succeeded;
  if (counts_jobs || good >= status.wanted || status.pods.size() < status.wanted) return;
  JobState state;
  state.decided_by =
      std::to_string(good) + " of its " + std::to_string(status.wanted) + " pods run";
  for (const PodStatus& each : status.pods) {
    if (!each.runs && !each.succeeded && each.since > state.since) state.since = each.since;
  }
  state.notes = std::move(status.state.notes);
  state.notes.push_back("its own status says that it is running, by " + status.state.decided_by);
  status.state = std::move(state);
}

/// What its pods add to what the job itself says.
void note_pods(JobStatus& status) {
  const auto note = [&status](std::size_t count, std::string_view one, std::string_view many) {
    const std::string_view rest = count == 1 ? one : many;
    if (count > 0) status.state.notes.push_back(std::to_string(count) + std::string(rest));
  };
  if (is_final(status.state.phase)) {
    note(status.running, " of its pods still runs", " of its pods still run");
  } else if (status.state.phase == JobPhase::Running) {
    note(status.failed, " pod of it has failed and was created again",
         " pods of it have failed and were created again");
  }
}

/// When its phase began: by the condition that decides, else by its pods or its making.
std::string_view since_of(const JobStatus& status) {
  if (!status.state.since.empty()) return status.state.since;
  std::string_view last;
  if (status.state.phase == JobPhase::Running) {
    for (const PodStatus& each : status.pods) {
      if (each.runs) last = std::max(last, each.since);
    }
    return last;
  }
  if (is_final(status.state.phase)) return string_at(get(status.job, "status"), "completionTime");
  if (status.state.phase != JobPhase::Pending) return {};
  return string_at(metadata_of(status.job), "creationTimestamp");
}

}  // namespace

JobStatus job_status(const ClusterDump& dump, View job, const JobKind& kind) {
  JobStatus status;
  status.job = job;
  status.kind = &kind;
  status.state = state_of(dump, job, kind);
  count_pods(dump, status);
  look_at_pods(status);
  note_pods(status);
  if (!string_at(metadata_of(job), "deletionTimestamp").empty()) {
    status.state.notes.emplace_back("it is being deleted");
  }
  for (View each : dump.queues_of(job)) status.queues.push_back(queue_status(dump, each));
  Events events;
  for (View each : dump.makers_of_pods(job)) events.add(each, dump.events_of(each));
  for (const QueueStatus& each : status.queues)
    events.add(each.object, dump.events_of(each.object));
  for (const PodStatus& each : status.pods) events.add(each.pod, dump.events_of(each.pod));
  status.events = events.run();
  status.since = std::string(since_of(status));
  return status;
}

}  // namespace trainyard
