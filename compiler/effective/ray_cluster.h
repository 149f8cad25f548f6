#pragma once

#include <cstdint>
#include <string>

#include "effective/pod_parts.h"
#include "effective/pods.h"

namespace trainyard {

/// The release of KubeRay that is followed.
inline constexpr std::string_view kKubeRay = "v1.6.2";

/// A RayCluster as its controller has it when it makes pods.
/// ray-project/kuberay ray-operator/controllers/ray: raycluster_controller.go, utils/util.go
struct RayCluster {
  /// Of a RayCluster, or of the RayJob or RayService that one is made for.
  explicit RayCluster(View object);

  View object;
  View spec;
  View annotations;
  std::string name;          // with a random end when KubeRay makes it up
  std::string_view creator;  // `RayCluster`, `RayJob` or `RayService`

  View head() const;
  /// Of the Service in front of the head, and its name for all of the cluster.
  std::string service() const;
  std::string address() const;
  /// At which workers find the head.
  std::string port() const;
  /// In front of the random end of the name of a pod.
  std::string pod_prefix(std::string_view group) const;
  /// The name as KubeRay gives it to accounts and secrets.
  std::string checked_name() const;
};

/// Cut to the 50 characters that KubeRay leaves to names that something is added to.
std::string ray_checked_name(std::string name);
std::string lower_case(std::string_view text);

/// How many pods a group of workers has before anything scales it.
std::int64_t ray_workers(View group);

bool has_variable(View container, std::string_view name);
/// A shell that runs one script.
void run_script(PodBuilder& maker, NodeId container, std::string_view flags,
                std::string_view script, OriginId mark);
/// One amount of each for a container of KubeRay's own.
struct RayAmounts {
  std::string_view cpu;
  std::string_view memory;
};
void put_resources(PodBuilder& maker, NodeId container, const RayAmounts& requests,
                   const RayAmounts& limits, OriginId mark);

/// What a container needs to be let in by a cluster that asks for tokens.
void add_token(PodBuilder& maker, const RayCluster& cluster, NodeId container);
/// The tokens of the account, for a cluster that takes those.
void add_token_volume(PodBuilder& maker, const RayCluster& cluster, NodeId pod_spec);

/// The options of `ray start` that KubeRay works out, and the command.
/// ray-project/kuberay ray-operator/controllers/ray/common/pod.go
std::string ray_start_command(const RayCluster& cluster, View group, View container);

/// The pod of the head, or of a group of workers at an index.
EffectivePod ray_pod(PodBuilder& maker, const RayCluster& cluster, View group, std::int64_t index);

/// Whether a Job submits the program of a RayJob, or a container beside the head.
bool ray_job_has_submitter(View job);
bool ray_job_has_sidecar(View object);
/// What submits it from beside the head; kNoNode, and `failure` says why, when it cannot.
NodeId ray_sidecar(PodBuilder& maker, const RayCluster& cluster, std::string& failure);
/// The pod of the Job that submits it.
EffectivePod ray_submitter(PodBuilder& maker, const RayCluster& cluster, KubernetesVersion version);

}  // namespace trainyard
