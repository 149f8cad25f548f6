#include "rules/data_sharing.h"

#include <algorithm>

#include "rules/host_names.h"
#include "rules/mounts.h"
#include "rules/program_start.h"

namespace trainyard {
namespace {

/// The volume is one and the same in all pods that have it.
bool is_shared(std::string_view source) {
  return source == "persistentVolumeClaim" || source == "nfs" || source == "csi";
}

}  // namespace

bool DataSharing::takes_part(const RoleInput& input) const {
  return !runs_mpirun_only(context_, input);
}

bool DataSharing::is_shared_by_pods(const Role& role, const DataMove& move) const {
  const VolumeMount* mount = mount_of(role, move.path);
  return mount != nullptr && is_shared(source_of(context_.plan, role, mount->volume));
}

bool DataSharing::is_same_volume(const Role& a, const Role& b, const DataMove& move) const {
  const Volume* left = volume_of(a, mount_of(a, move.path)->volume);
  const Volume* right = volume_of(b, mount_of(b, move.path)->volume);
  return left != nullptr && right != nullptr &&
         equal(tree_, left->fragment, tree_, right->fragment);
}

bool DataSharing::is_single(const Role& role) const {
  return *role.replicas == 1 && !context_.plan.elastic.max_nodes;
}

const Role* DataSharing::fetching(const Role& role, const DataMove& move) const {
  const Role* found = nullptr;
  int best = -1;
  for (const RoleInput& input : context_.roles) {
    const Role& other = *input.role;
    if (!takes_part(input) || !is_shared_by_pods(other, move)) continue;
    if (!is_same_volume(role, other, move)) continue;
    const bool ranked_first = other.first_rank && *other.first_rank == 0;
    const bool waits = other.waits_for || (input.is_coordinator && started_by_mpirun(context_));
    const bool can_be_told = is_single(other) || !context_.in.target->master_host.empty();
    const int score = (waits ? 0 : 4) + (can_be_told ? 2 : 0) + (ranked_first ? 1 : 0);
    if (score <= best) continue;
    best = score;
    found = &other;
  }
  return found;
}

std::string DataSharing::first_pod(const Role& role) const {
  const std::string host = expanded(
      expanded(context_.in.target->master_host, "{job}", *context_.plan.name), "{role}", role.name);
  return host.substr(0, host.find('.'));
}

std::int64_t DataSharing::pods_with(const Role& role, const DataMove& move) const {
  std::int64_t pods = 0;
  for (const RoleInput& input : context_.roles) {
    const Role& other = *input.role;
    if (!takes_part(input) || !is_shared_by_pods(other, move)) continue;
    if (is_same_volume(role, other, move)) {
      pods += is_single(other) ? 1 : std::max<std::int64_t>(2, *other.replicas);
    }
  }
  return pods;
}

}  // namespace trainyard
