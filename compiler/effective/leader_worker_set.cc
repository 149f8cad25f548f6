#include <algorithm>
#include <string>

#include "effective/pod_parts.h"
#include "effective/pods.h"
#include "effective/sha1.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kLeader = "leader";
constexpr std::string_view kWorker = "worker";
constexpr std::string_view kPrefix = "leaderworkerset.sigs.k8s.io/";
constexpr std::string_view kExclusive = "leaderworkerset.sigs.k8s.io/exclusive-topology";
constexpr std::string_view kGroupKey = "leaderworkerset.sigs.k8s.io/group-key";
constexpr std::string_view kSubgroupKey = "leaderworkerset.sigs.k8s.io/subgroup-key";
constexpr std::string_view kSubgroupExclusive =
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";

View template_of(View set) {
  return get(get(set, "spec"), "leaderWorkerTemplate");
}
std::int64_t size_of(View set) {
  return integer_at(template_of(set), "size").value_or(1);
}

/// Leaders have a template of their own, or are the first of their group's workers.
std::vector<PodRole> roles(View set) {
  const std::int64_t groups = integer_at(get(set, "spec"), "replicas").value_or(1);
  const std::int64_t size = size_of(set);
  if (!get(template_of(set), "leaderTemplate")) return {{std::string(kWorker), groups * size}};
  std::vector<PodRole> found = {{std::string(kLeader), groups}};
  if (size > 1) found.push_back({std::string(kWorker), groups * (size - 1)});
  return found;
}

/// The pod, by its index in a group with this index.
struct Seat {
  std::int64_t group = 0;
  std::int64_t place = 0;  // 0 for the leader
};

Seat seat_of(View set, std::string_view role, std::int64_t index) {
  if (role == kLeader) return {index, 0};
  const bool with_leaders = !get(template_of(set), "leaderTemplate");
  const std::int64_t each = with_leaders ? size_of(set) : size_of(set) - 1;
  return {index / each, index % each + (with_leaders ? 0 : 1)};
}

/// Puts variables in front of the others, and takes away those of the same name; of several of the
/// user's that have one name the first stays.
void put_first(PodBuilder& maker, NodeId container, const std::vector<NodeId>& variables) {
  const OriginId mark = maker.tree[variables.front()].origin;
  const NodeId list = maker.list(mark);
  std::vector<std::string> seen;
  for (NodeId variable : variables) {
    seen.emplace_back(string_at(maker.view(variable), "name"));
    maker.tree.append(list, variable);
  }
  for (View given : items_at(maker.view(container), "env")) {
    const std::string name(string_at(given, "name"));
    if (std::ranges::find(seen, name) != seen.end()) continue;
    seen.push_back(name);
    maker.tree.append(list, maker.copy(given));
  }
  maker.put(container, "env", list);
}

/// One pod, as two StatefulSets and the webhook of pods make it.
class LeaderWorkerPod {
 public:
  LeaderWorkerPod(PodBuilder& maker, View set, Seat seat)
      : maker_(maker),
        set_(set),
        seat_(seat),
        leader_(std::string(name_of(set)) + "-" + std::to_string(seat.group)),
        name_(leads() ? leader_ : leader_ + "-" + std::to_string(seat.place)),
        draft_(draft_pod(maker, used_template())) {}

  EffectivePod made(KubernetesVersion version) {
    const View metadata = get(set_, "metadata");
    name_pod(maker_, draft_, name_, get(metadata, "namespace"),
             maker_.mark("name of the set, group and place in it", get(metadata, "name")));
    keys();
    host();
    place();
    tell();
    note_tpus();
    be_of_stateful_set(version);
    result_.root = draft_.pod;
    result_.name = result_.hostname = name_;
    return std::move(result_);
  }

 private:
  bool leads() const { return seat_.place == 0; }
  std::string size() const { return std::to_string(size_of(set_)); }
  View subgroups() const { return get(template_of(set_), "subGroupPolicy"); }
  View annotation_of_set(std::string_view key) const {
    return get(get(get(set_, "metadata"), "annotations"), key);
  }
  View used_template() const {
    const View own = get(template_of(set_), "leaderTemplate");
    return leads() && own ? own : get(template_of(set_), "workerTemplate");
  }
  bool one_service_for_each() const {
    return string_of(get(get(get(set_, "spec"), "networkConfig"), "subdomainPolicy")) ==
           "UniquePerReplica";
  }

  void label(std::string_view key, std::string_view value, OriginId mark) {
    maker_.put(draft_.labels(maker_, mark), std::string(kPrefix) + std::string(key), value, mark);
  }
  void annotate(std::string_view key, std::string_view value, OriginId mark) {
    maker_.put(draft_.annotations(maker_, mark), std::string(kPrefix) + std::string(key), value,
               mark);
  }

  std::string group_key() const {
    const std::string_view space = string_at(get(set_, "metadata"), "namespace");
    return space.empty() ? "<hash of namespace and leader>"
                         : sha1_hex(std::string(space) + "/" + leader_);
  }

  /// The number of the pod's subgroup; "" when it is in none.
  std::string subgroup() const {
    const View policy = subgroups();
    const std::int64_t each = integer_at(policy, "subGroupSize").value_or(0);
    if (!policy || each <= 0) return {};
    if (leads()) return string_at(policy, "subGroupPolicyType") == "LeaderExcluded" ? "" : "0";
    const bool leader_is_extra = (size_of(set_) - 1) % each == 0;
    return std::to_string((seat_.place - (leader_is_extra ? 1 : 0)) / each);
  }

  void keys() {
    const OriginId mark = maker_.mark("set and group that the pod belongs to");
    label("name", name_of(set_), mark);
    label("group-index", std::to_string(seat_.group), mark);
    label("worker-index", std::to_string(seat_.place), mark);
    label("group-key", group_key(), mark);
    label("template-revision-hash", "<hash of the templates>", mark);
    annotate("size", size(), mark);
    if (!leads()) annotate("leader-name", leader_, mark);
    for (std::string_view key : {kExclusive, kSubgroupExclusive}) {
      const View topology = annotation_of_set(key);
      if (string_of(topology).empty() || (key == kSubgroupExclusive && !subgroups())) continue;
      maker_.put(draft_.annotations(maker_, mark), key, topology->text, mark);
    }
    if (leads() && one_service_for_each()) annotate("subdomainPolicy", "UniquePerReplica", mark);
    if (const View policy = subgroups()) {
      const View kind = get(policy, "subGroupPolicyType");
      const OriginId why = maker_.mark("subgroups", policy);
      annotate("subgroup-size",
               get(policy, "subGroupSize") ? get(policy, "subGroupSize")->text : "", why);
      if (leads()) annotate("subgroup-policy-type", kind ? kind->text : "LeaderWorker", why);
      if (const std::string index = subgroup(); !index.empty()) {
        label("subgroup-index", index, why);
        label("subgroup-key", sha1_hex(leader_ + "/" + index), why);
      }
    }
  }

  void host() {
    const View policy = get(get(get(set_, "spec"), "networkConfig"), "subdomainPolicy");
    subdomain_ = one_service_for_each() ? leader_ : std::string(name_of(set_));
    maker_.put(draft_.spec, "hostname", name_, maker_.mark("of a StatefulSet"));
    maker_.put(draft_.spec, "subdomain", subdomain_,
               maker_.mark(one_service_for_each() ? "Service of the group" : "Service of the set",
                           policy));
    result_.address = name_ + "." + subdomain_;
  }

  /// Terms for this topology that are there already are left alone.
  bool has_terms(std::string_view topology) {
    const View affinity = get(maker_.view(draft_.spec), "affinity");
    const auto has = [&](std::string_view kind) {
      for (View each :
           items_at(get(affinity, kind), "requiredDuringSchedulingIgnoredDuringExecution")) {
        if (string_at(each, "topologyKey") == topology) return true;
      }
      return false;
    };
    return has("podAffinity") && has("podAntiAffinity");
  }

  void place() {
    const View topology = annotation_of_set(kExclusive);
    if (!string_of(topology).empty()) {
      const OriginId mark = maker_.mark("one topology domain for each group", topology);
      if (!leads()) {
        const NodeId selector = maker_.map_at(draft_.spec, "nodeSelector", mark);
        maker_.put(selector, topology->text, "<domain of the leader>", mark);
      } else if (!has_terms(topology->text)) {
        add_exclusive_terms(maker_, draft_.spec, kGroupKey, group_key(), topology->text, mark);
      }
    }
    const View within = annotation_of_set(kSubgroupExclusive);
    const std::string index = subgroup();
    if (string_of(within).empty() || index.empty() || has_terms(within->text)) return;
    add_exclusive_terms(maker_, draft_.spec, kSubgroupKey, sha1_hex(leader_ + "/" + index),
                        within->text, maker_.mark("one topology domain for each subgroup", within));
  }

  void tell() {
    const std::string address = leader_ + "." + subdomain_ + "." + std::string(namespace_of(set_));
    for (bool init : {false, true}) {
      for (NodeId container :
           init ? init_containers(maker_, draft_.spec) : containers(maker_, draft_.spec)) {
        put_first(
            maker_, container,
            {variable(maker_, "LWS_LEADER_ADDRESS", address, maker_.mark("address of the leader")),
             variable(maker_, "LWS_GROUP_SIZE", size(), maker_.mark("pods of the group")),
             variable(maker_, "LWS_WORKER_INDEX", std::to_string(seat_.place),
                      maker_.mark("place in the group"))});
      }
    }
  }

  void note_tpus() {
    bool asked = false;
    for (NodeId container : containers(maker_, draft_.spec)) {
      const View resources = get(maker_.view(container), "resources");
      for (std::string_view kind : {"limits", "requests"}) {
        asked = asked || get(get(resources, kind), "google.com/tpu");
      }
    }
    if (asked) result_.notes.push_back("the variables `TPU_...` that LWS adds are not shown");
  }

  /// Volumes of claims stand in front of the others, and in the place of those of their names.
  void be_of_stateful_set(KubernetesVersion version) {
    maker_.act_for("statefulset-controller");
    const OriginId mark = maker_.mark("StatefulSet that the pod belongs to");
    const NodeId labels = draft_.labels(maker_, mark);
    maker_.put(labels, "statefulset.kubernetes.io/pod-name", name_, mark);
    if (version >= KubernetesVersion{1, 28}) {  // PodIndexLabel
      maker_.put(labels, "apps.kubernetes.io/pod-index",
                 std::to_string(leads() ? seat_.group : seat_.place), mark);
    }
    maker_.put(labels, "controller-revision-hash", "<hash of the template>", mark);
    std::vector<NodeId> volumes;
    for (View claim : items_at(template_of(set_), "volumeClaimTemplates")) {
      const View name = get(get(claim, "metadata"), "name");
      const OriginId why = maker_.mark("claim of this pod", name);
      const NodeId volume = maker_.map(why);
      maker_.put(volume, "name", string_of(name), why);
      maker_.put(maker_.map_at(volume, "persistentVolumeClaim", why), "claimName",
                 std::string(string_of(name)) + "-" + name_, why);
      volumes.push_back(volume);
    }
    if (volumes.empty()) return;
    const NodeId list = maker_.list(mark);
    for (NodeId volume : volumes) maker_.tree.append(list, volume);
    for (View given : items_at(maker_.view(draft_.spec), "volumes")) {
      const bool replaced = std::ranges::any_of(
          volumes, [&](NodeId volume) { return same_name(maker_.view(volume), given); });
      if (!replaced) maker_.tree.append(list, maker_.copy(given));
    }
    maker_.put(draft_.spec, "volumes", list);
  }

  PodBuilder& maker_;
  View set_;
  Seat seat_;
  std::string leader_;
  std::string name_;
  std::string subdomain_;
  PodDraft draft_;
  EffectivePod result_;
};

EffectivePod pod(PodBuilder& maker, View set, std::string_view role, std::int64_t index,
                 KubernetesVersion version) {
  maker.act_for("lws");
  return LeaderWorkerPod(maker, set, seat_of(set, role, index)).made(version);
}

}  // namespace

constinit const PodKind kLeaderWorkerSetPods = {
    "leaderworkerset.x-k8s.io",
    "LeaderWorkerSet",
    "v1",
    "lws",
    "kubernetes-sigs/lws pkg/controllers/, pkg/webhooks/pod_webhook.go, pkg/utils/pod/pod_utils.go",
    roles,
    pod};

}  // namespace trainyard
