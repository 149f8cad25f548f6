#include "diagnosis/cluster_dump.h"

#include <algorithm>

#include "kind/job_kind.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

const std::vector<View> kNone;

std::string key_of(std::string_view kind, std::string_view name_space, std::string_view name) {
  return std::string(kind) + "/" + std::string(name_space) + "/" + std::string(name);
}

std::string key_of(View object) {
  const View metadata = get(object, "metadata");
  return key_of(string_at(object, "kind"), string_at(metadata, "namespace"),
                string_at(metadata, "name"));
}

bool is_a(View object, std::string_view kind) {
  return string_at(object, "kind") == kind;
}

const std::vector<View>& found(const std::unordered_map<std::string, std::vector<View>>& map,
                               const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? kNone : at->second;
}

/// Whether a reference is to this very object, and not to an earlier one of its name.
bool refers_to(View reference, View object) {
  const std::string_view uid = string_at(reference, "uid");
  const std::string_view own = string_at(get(object, "metadata"), "uid");
  return uid.empty() || own.empty() || uid == own;
}

}  // namespace

void ClusterDump::add(View object) {
  if (!object || !object->is_map()) return;
  if (string_at(object, "kind").ends_with("List") && get(object, "items")) {
    for (View each : items_at(object, "items")) add(each);
    return;
  }
  const View metadata = get(object, "metadata");
  const std::string_view name_space = string_at(metadata, "namespace");
  if (is_a(object, "Event")) {
    const View about =
        get(object, "involvedObject") ? get(object, "involvedObject") : get(object, "regarding");
    events_[key_of(string_at(about, "kind"), string_at(about, "namespace"),
                   string_at(about, "name"))]
        .push_back(object);
    return;
  }
  objects_[key_of(object)].push_back(object);
  for (View owner : items_at(metadata, "ownerReferences")) {
    owned_[key_of(string_at(owner, "kind"), name_space, string_at(owner, "name"))].push_back(
        object);
  }
  const JobKind* kind = JobKinds::builtin().find(object);
  if (kind != nullptr && kind->is_job()) jobs_.push_back(object);
}

const std::vector<View>& ClusterDump::owned_by(View object) const {
  return found(owned_, key_of(object));
}

std::vector<View> ClusterDump::jobs() const {
  std::vector<View> roots;
  for (View job : jobs_) {
    const View metadata = get(job, "metadata");
    const bool is_made = std::ranges::any_of(items_at(metadata, "ownerReferences"), [&](View each) {
      const std::string key = key_of(string_at(each, "kind"), string_at(metadata, "namespace"),
                                     string_at(each, "name"));
      return std::ranges::any_of(found(objects_, key), [&](View owner) {
        return refers_to(each, owner) && JobKinds::builtin().find(owner) != nullptr;
      });
    });
    if (!is_made) roots.push_back(job);
  }
  return roots;
}

std::vector<View> ClusterDump::makers_of_pods(View job) const {
  std::vector<View> makers{job};
  for (std::size_t i = 0; i < makers.size(); ++i) {
    for (View made : owned_by(makers[i])) {
      const bool is_known = std::ranges::any_of(
          makers, [&](View each) { return each.is_at(made); });  // a dump may hold anything
      if (!is_a(made, "Pod") && !is_a(made, "Workload") && !is_known) makers.push_back(made);
    }
  }
  return makers;
}

std::vector<View> ClusterDump::pods_of(View job) const {
  std::vector<View> pods;
  for (View maker : makers_of_pods(job)) {
    for (View made : owned_by(maker)) {
      if (is_a(made, "Pod")) pods.push_back(made);
    }
  }
  const auto name = [](View pod) { return string_at(get(pod, "metadata"), "name"); };
  std::ranges::sort(pods, {}, name);
  const auto repeated = std::ranges::unique(pods, {}, name);
  pods.erase(repeated.begin(), repeated.end());
  return pods;
}

const std::vector<View>& ClusterDump::events_of(View object) const {
  return found(events_, key_of(object));
}

View ClusterDump::workload_of(View job) const {
  for (View made : owned_by(job)) {
    if (is_a(made, "Workload")) return made;
  }
  return {};
}

std::vector<View> ClusterDump::claims_of(View pod) const {
  std::vector<View> claims;
  const std::string_view name_space = string_at(get(pod, "metadata"), "namespace");
  for (View volume : items_at(get(pod, "spec"), "volumes")) {
    const std::string_view name = string_at(get(volume, "persistentVolumeClaim"), "claimName");
    if (name.empty()) continue;
    const auto& all = found(objects_, key_of("PersistentVolumeClaim", name_space, name));
    claims.insert(claims.end(), all.begin(), all.end());
  }
  return claims;
}

View ClusterDump::node_of(View pod) const {
  const std::string_view name = string_at(get(pod, "spec"), "nodeName");
  const auto& all = found(objects_, key_of("Node", "", name));
  return all.empty() ? View() : all.front();
}

}  // namespace trainyard
