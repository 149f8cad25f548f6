#include <algorithm>
#include <string>

#include "check/read.h"
#include "effective/pod_parts.h"
#include "effective/pods.h"

namespace trainyard {
namespace {

constexpr std::string_view kLeader = "leader";
constexpr std::string_view kWorker = "worker";
constexpr std::string_view kPrefix = "leaderworkerset.sigs.k8s.io/";

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

/// Which pod of which group it is.
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

/// Puts a variable in front of the others, and takes away those of the same name.
void put_first(Maker& maker, NodeId container, const std::vector<NodeId>& variables) {
  const OriginId mark = maker.tree[variables.front()].origin;
  const NodeId list = maker.list(mark);
  for (NodeId variable : variables) maker.tree.append(list, variable);
  for (View given : items_at(maker.view(container), "env")) {
    const bool replaced = std::ranges::any_of(
        variables, [&](NodeId variable) { return same_name(maker.view(variable), given); });
    if (!replaced) maker.tree.append(list, maker.copy(given));
  }
  maker.put(container, "env", list);
}

EffectivePod pod(Maker& maker, View set, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  maker.act_for("lws");
  const Seat seat = seat_of(set, role, index);
  const bool leads = seat.place == 0;
  const std::string group = std::to_string(seat.group);
  const std::string place = std::to_string(seat.place);
  const View spec = get(set, "spec");
  const View own = get(template_of(set), "leaderTemplate");
  const View used = leads && own ? own : get(template_of(set), "workerTemplate");
  const PodDraft draft = draft_pod(maker, used);

  EffectivePod result;
  result.root = draft.pod;
  const std::string leader = std::string(name_of(set)) + "-" + group;
  result.name = result.hostname = leads ? leader : leader + "-" + place;
  const View metadata = get(set, "metadata");
  name_pod(maker, draft, result.name, get(metadata, "namespace"),
           maker.mark("name of the set, group and place in it", get(metadata, "name")));

  const OriginId mark = maker.mark("set and group that the pod belongs to");
  const auto label = [&](std::string_view key, std::string_view value) {
    maker.put(draft.labels(maker, mark), std::string(kPrefix) + std::string(key), value, mark);
  };
  label("name", name_of(set));
  label("group-index", group);
  label("worker-index", place);
  const auto annotation = [&](std::string_view key, std::string_view value) {
    maker.put(draft.annotations(maker, mark), std::string(kPrefix) + std::string(key), value, mark);
  };
  const std::string size = std::to_string(size_of(set));
  annotation("size", size);
  if (!leads) annotation("leader-name", leader);

  const View policy = get(get(spec, "networkConfig"), "subdomainPolicy");
  const bool one_for_each = string_of(policy) == "UniquePerReplica";
  const std::string subdomain = one_for_each ? leader : std::string(name_of(set));
  maker.put(draft.spec, "hostname", result.hostname, maker.mark("of a StatefulSet"));
  maker.put(draft.spec, "subdomain", subdomain,
            maker.mark(one_for_each ? "Service of the group" : "Service of the set", policy));
  result.address = result.hostname + "." + subdomain;

  const std::string address = leader + "." + subdomain + "." + std::string(namespace_of(set));
  const auto tell = [&](NodeId container) {
    put_first(maker, container,
              {variable(maker, "LWS_LEADER_ADDRESS", address, maker.mark("address of the leader")),
               variable(maker, "LWS_GROUP_SIZE", size, maker.mark("pods of the group")),
               variable(maker, "LWS_WORKER_INDEX", place, maker.mark("place in the group"))});
  };
  for (NodeId container : containers(maker, draft.spec)) tell(container);
  for (NodeId container : init_containers(maker, draft.spec)) tell(container);
  return result;
}

}  // namespace

constinit const PodKind kLeaderWorkerSetPods = {
    "leaderworkerset.x-k8s.io",
    "LeaderWorkerSet",
    "v1",
    "lws",
    "kubernetes-sigs/lws pkg/utils/pod/pod_utils.go, pkg/webhooks/pod_webhook.go",
    roles,
    pod};

}  // namespace trainyard
