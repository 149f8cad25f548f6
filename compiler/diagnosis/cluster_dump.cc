#include "diagnosis/cluster_dump.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (std::string_view part : parts) {
    key += part;
    key += '\n';  // stands in no name
  }
  return key;
}

std::string_view group_of(View object) {
  const std::string_view version = string_at(object, "apiVersion");
  const std::size_t slash = version.find('/');
  return slash == version.npos ? std::string_view() : version.substr(0, slash);
}

View metadata_of(View object) {
  return get(object, "metadata");
}
std::string_view object_name(View object) {
  return string_at(metadata_of(object), "name");
}
std::string_view namespace_of(View object) {
  return string_at(metadata_of(object), "namespace");
}

bool is_a(View object, std::string_view kind) {
  return string_at(object, "kind") == kind;
}

/// Whether a reference is to this very object, and not to an earlier one of its name or to one of
/// another group. What a reference leaves out says nothing against it.
bool refers_to(View reference, View object) {
  if (string_at(reference, "name") != object_name(object)) return false;
  if (string_at(reference, "kind") != string_at(object, "kind")) return false;
  const bool has_version = !string_at(reference, "apiVersion").empty();
  if (has_version && group_of(reference) != group_of(object)) return false;
  const std::string_view uid = string_at(reference, "uid");
  const std::string_view own = string_at(metadata_of(object), "uid");
  return uid.empty() || own.empty() || uid == own;
}

View about(View event) {
  const View object = get(event, "involvedObject");
  return object ? object : get(event, "regarding");
}

// Fields that say when something was seen to happen. Others may lie in the future.
constexpr auto kTimes = std::to_array<std::string_view>(
    {"completionTime", "creationTimestamp", "eventTime", "finishedAt", "firstTimestamp",
     "lastHeartbeatTime", "lastObservedTime", "lastProbeTime", "lastReconcileTime", "lastTimestamp",
     "lastTransitionTime", "lastUpdateTime", "startTime", "startedAt", "time"});

bool is_time(std::string_view text) {
  return text.size() >= 20 && text.size() <= 35 && text[4] == '-' && text[10] == 'T' &&
         text.back() == 'Z';
}

/// Without the fraction and the `Z`, so that times compare as texts do.
std::string_view seconds(std::string_view time) {
  return time.substr(0, 19);
}

void take_newest(View at, std::string_view& newest) {
  for (View each : Items(at)) {
    if (!each.is_scalar()) {
      take_newest(each, newest);
    } else if (at->is_map() && std::ranges::binary_search(kTimes, each.key())) {
      const std::string_view text = string_of(each);
      if (is_time(text) && seconds(text) > seconds(newest)) newest = text;
    }
  }
}

}  // namespace

void take_newest_time(View object, std::string_view& newest) {
  for (std::string_view part : {"metadata", "status"}) take_newest(get(object, part), newest);
  if (is_a(object, "Event")) take_newest(object, newest);
}

ClusterDump::ClusterDump(const JobKinds& kinds) : job_kinds_(&kinds) {
  for (const JobKind& kind : kinds.all()) {
    for (const PodMarks& marks : kind.pods) label_keys_.insert(marks.labels.front().key);
  }
}

void ClusterDump::add(View object) {
  if (!object || !object->is_map()) return;
  const View items = get(object, "items");
  if (is_a(object, "PendingWorkloadsSummary")) {
    for (View each : items_at(object, "items")) {
      waiting_[joined({namespace_of(each), object_name(each)})] = each;
    }
    return;
  }
  if (items && string_at(object, "kind").ends_with("List")) {
    for (View each : Items(items)) add(each);
    return;
  }
  put(object);
}

void ClusterDump::put(View object) {
  const std::string_view kind = string_at(object, "kind");
  const std::string_view name = object_name(object);
  const std::string_view name_space = namespace_of(object);
  const JobKind* job_kind = job_kinds_->find(object);
  const bool is_job = job_kind != nullptr && job_kind->is_job();
  std::size_t place = objects_.size();
  if (!name.empty()) {
    const auto [known, is_new] =
        places_.try_emplace(joined({group_of(object), kind, name_space, name}), place);
    place = known->second;
    if (!is_new && is_job) repeated_.insert(std::string(kind) + "/" + std::string(name));
  }
  if (place == objects_.size()) {
    objects_.push_back(object);
    if (is_job) jobs_.push_back(place);
  } else {
    objects_[place] = object;
  }
  if (is_a(object, "Event")) {
    const View of = about(object);
    events_[joined({string_at(of, "kind"), string_at(of, "namespace"), string_at(of, "name")})]
        .push_back(place);
    return;
  }
  for (View owner : items_at(metadata_of(object), "ownerReferences")) {
    owned_[joined({string_at(owner, "kind"), name_space, string_at(owner, "name")})].push_back(
        place);
  }
  if (is_a(object, "Pod")) index_labels(object, place);
  if (is_a(object, "LocalQueue")) queues_[name_space].insert(name);
}

/// Whether it holds jobs for a queue.
bool ClusterDump::is_queue(View object) const {
  const JobKind* kind = job_kinds_->find(object);
  return kind != nullptr && !kind->is_job();
}

void ClusterDump::index_labels(View pod, std::size_t place) {
  for (View label : entries_at(metadata_of(pod), "labels")) {
    if (!label_keys_.contains(label.key())) continue;
    labelled_[joined({namespace_of(pod), label.key(), string_of(label)})].push_back(place);
  }
}

std::vector<View> ClusterDump::owned_by(View object) const {
  const auto found =
      owned_.find(joined({string_at(object, "kind"), namespace_of(object), object_name(object)}));
  std::vector<View> owned;
  if (found == owned_.end()) return owned;
  std::set<std::size_t> seen;
  for (std::size_t place : found->second) {
    const View made = objects_[place];
    const Items owners = items_at(metadata_of(made), "ownerReferences");
    const bool is_owner = std::any_of(owners.begin(), owners.end(),
                                      [&](View each) { return refers_to(each, object); });
    if (is_owner && seen.insert(place).second) owned.push_back(made);
  }
  return owned;
}

View ClusterDump::find(std::string_view group, std::string_view kind, std::string_view name_space,
                       std::string_view name) const {
  const auto found = places_.find(joined({group, kind, name_space, name}));
  return found == places_.end() ? View() : objects_[found->second];
}

bool ClusterDump::refers_to_job(View reference, std::string_view name_space) const {
  const std::string_view kind = string_at(reference, "kind");
  return std::ranges::any_of(job_kinds_->all(), [&](const JobKind& each) {
    if (each.kind != kind) return false;
    const View owner = find(each.group, kind, name_space, string_at(reference, "name"));
    return owner && refers_to(reference, owner);
  });
}

std::vector<View> ClusterDump::jobs() const {
  std::vector<View> roots;
  for (std::size_t place : jobs_) {
    const View job = objects_[place];
    const Items owners = items_at(metadata_of(job), "ownerReferences");
    const bool is_made = std::any_of(owners.begin(), owners.end(), [&](View each) {
      return refers_to_job(each, namespace_of(job));
    });
    if (!is_made) roots.push_back(job);
  }
  return roots;
}

std::vector<View> ClusterDump::makers_of_pods(View job) const {
  std::vector<View> makers{job};
  std::set<std::pair<const Tree*, NodeId>> known{{&job.tree(), job.id()}};
  for (std::size_t i = 0; i < makers.size(); ++i) {
    std::vector<View> owned = owned_by(makers[i]);
    for (std::size_t next = 0; next < owned.size(); ++next) {
      const View made = owned[next];
      if (is_queue(made)) continue;
      if (is_a(made, "Pod")) {
        // The first pod of a group of a LeaderWorkerSet owns the StatefulSet of the others.
        std::ranges::copy_if(owned_by(made), std::back_inserter(owned),
                             [](View each) { return is_a(each, "StatefulSet"); });
        continue;
      }
      // A dump may hold objects that own each other.
      if (known.emplace(&made.tree(), made.id()).second) makers.push_back(made);
    }
  }
  return makers;
}

void ClusterDump::add_selected(View job, const PodMarks& marks, std::vector<View>& pods) const {
  std::vector<std::string> values;
  for (const PodMarks::Label& label : marks.labels) {
    values.push_back(filled_in(label.value, job));
    if (values.back().empty()) return;
  }
  const auto found =
      labelled_.find(joined({namespace_of(job), marks.labels.front().key, values.front()}));
  if (found == labelled_.end()) return;
  for (std::size_t place : found->second) {
    const View metadata = metadata_of(objects_[place]);
    bool fits = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      fits = fits && string_at(get(metadata, "labels"), marks.labels[i].key) == values[i];
    }
    // One of an earlier job of this name.
    for (View owner : items_at(metadata, "ownerReferences")) {
      const bool is_named = string_at(owner, "kind") == string_at(job, "kind") &&
                            string_at(owner, "name") == object_name(job);
      fits = fits && (!is_named || refers_to(owner, job));
    }
    if (fits) pods.push_back(objects_[place]);
  }
}

std::vector<View> ClusterDump::pods_of(View job) const {
  std::vector<View> pods;
  for (View maker : makers_of_pods(job)) {
    for (View made : owned_by(maker)) {
      if (is_a(made, "Pod")) pods.push_back(made);
    }
    const JobKind* kind = job_kinds_->find(maker);
    if (kind == nullptr) continue;
    for (const PodMarks& marks : kind->pods) add_selected(maker, marks, pods);
  }
  std::ranges::sort(pods, {}, object_name);
  const auto repeated = std::ranges::unique(pods, {}, object_name);
  pods.erase(repeated.begin(), repeated.end());
  return pods;
}

std::vector<View> ClusterDump::events_of(View object) const {
  const auto found =
      events_.find(joined({string_at(object, "kind"), namespace_of(object), object_name(object)}));
  std::vector<View> events;
  if (found == events_.end()) return events;
  for (std::size_t place : found->second) {
    if (refers_to(about(objects_[place]), object)) events.push_back(objects_[place]);
  }
  return events;
}

std::vector<View> ClusterDump::queues_of(View job) const {
  std::vector<View> queues;
  for (View maker : makers_of_pods(job)) {
    for (View made : owned_by(maker)) {
      if (is_queue(made)) queues.push_back(made);
    }
  }
  return queues;
}

View ClusterDump::workload_of(View job) const {
  for (View made : queues_of(job)) {
    if (is_a(made, "Workload")) return made;
  }
  return {};
}

std::optional<std::int64_t> ClusterDump::position_of(View workload) const {
  const auto found = waiting_.find(joined({namespace_of(workload), object_name(workload)}));
  if (found == waiting_.end()) return std::nullopt;
  // A field that is left out is 0, the first place.
  return integer_at(found->second, "positionInLocalQueue").value_or(0) + 1;
}

std::vector<std::string_view> ClusterDump::queues_in(std::string_view name_space) const {
  const auto found = queues_.find(name_space);
  if (found == queues_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<View> ClusterDump::claims_of(View pod) const {
  std::vector<View> claims;
  for (View volume : items_at(get(pod, "spec"), "volumes")) {
    const std::string_view name = string_at(get(volume, "persistentVolumeClaim"), "claimName");
    if (name.empty()) continue;
    if (const View claim = find("", "PersistentVolumeClaim", namespace_of(pod), name)) {
      claims.push_back(claim);
    }
  }
  return claims;
}

View ClusterDump::node_of(View pod) const {
  return find("", "Node", "", string_at(get(pod, "spec"), "nodeName"));
}

std::set<std::string> ClusterDump::kinds() const {
  std::set<std::string> kinds;
  for (View each : objects_) kinds.emplace(string_at(each, "kind"));
  kinds.erase("");
  return kinds;
}

std::string_view ClusterDump::newest_time() const {
  std::string_view newest;
  for (View each : objects_) take_newest_time(each, newest);
  return newest;
}

}  // namespace trainyard
