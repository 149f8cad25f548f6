#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "spec/enum_words.h"

/// The words of a TrainingJob. Where one has a fixed default, it is the first of its enumeration.
namespace trainyard {

enum class Framework : std::uint8_t {
  Pytorch,
  Tensorflow,
  Jax,
  Mpi,
  Xgboost,
  Paddle,
  Ray,
  Tao,
  Nemo,
  None,
};
enum class Launcher : std::uint8_t { None, Torchrun, Mpirun, Accelerate, Deepspeed };
enum class MpiImplementation : std::uint8_t { OpenMpi, Intel, Mpich };
enum class RendezvousBackend : std::uint8_t { Static, C10d };
enum class GpuSharing : std::uint8_t { Exclusive, TimeSlicing, Mps };
enum class RoleKind : std::uint8_t { Chief, Worker, Ps, Evaluator, Launcher, Head, Master };
/// How far another role is before a role starts.
enum class RoleState : std::uint8_t { Started, Ready, Complete };
/// What has ended when a role has.
enum class RoleEnd : std::uint8_t { Job, Role };
/// What starts again when a pod of a role has failed.
enum class RoleRestart : std::uint8_t { WithJob, Alone };
/// Which pods start together or not at all.
enum class GangExtent : std::uint8_t { False, True, All, Role, Group };
enum class TopologyMode : std::uint8_t { Required, Preferred };
enum class SpotUse : std::uint8_t { Require, Allow, Forbid };
enum class SchedulingSystem : std::uint8_t {
  None,
  Kueue,
  Volcano,
  Kai,
  Coscheduling,
  Runai,
  Native,
};
enum class AccessMode : std::uint8_t {
  ReadWriteOnce,
  ReadOnlyMany,
  ReadWriteMany,
  ReadWriteOncePod,
};
enum class ImagePullPolicy : std::uint8_t { Always, IfNotPresent, Never };
enum class DataKind : std::uint8_t { Dataset, Model, Artifact };
enum class RetryOn : std::uint8_t { Infrastructure, Any, Never };
enum class RunaiUsage : std::uint8_t { Submit, Template };
enum class ServiceType : std::uint8_t { ClusterIp, NodePort, LoadBalancer };
enum class UrlAccess : std::uint8_t { AuthenticatedUsers, AuthorizedUsers, AuthorizedGroups };
/// What becomes of a job whose spec changes. The default depends on the Cluster.
enum class Rerun : std::uint8_t { InPlace, NewName, Never };
enum class CheckpointSignal : std::uint8_t { Term, Int, Hup, Usr1, Usr2 };
/// The Pod Security levels of Kubernetes, from strict to free.
enum class SecurityLevel : std::uint8_t { Restricted, Baseline, Privileged };

std::span<const std::string_view> words(Framework);
std::span<const std::string_view> words(Launcher);
std::span<const std::string_view> words(MpiImplementation);
std::span<const std::string_view> words(RendezvousBackend);
std::span<const std::string_view> words(GpuSharing);
std::span<const std::string_view> words(RoleKind);
std::span<const std::string_view> words(RoleState);
std::span<const std::string_view> words(RoleEnd);
std::span<const std::string_view> words(RoleRestart);
std::span<const std::string_view> words(GangExtent);
std::span<const std::string_view> words(TopologyMode);
std::span<const std::string_view> words(SpotUse);
std::span<const std::string_view> words(SchedulingSystem);
std::span<const std::string_view> words(AccessMode);
std::span<const std::string_view> words(ImagePullPolicy);
std::span<const std::string_view> words(DataKind);
std::span<const std::string_view> words(RetryOn);
std::span<const std::string_view> words(RunaiUsage);
std::span<const std::string_view> words(ServiceType);
std::span<const std::string_view> words(UrlAccess);
std::span<const std::string_view> words(CheckpointSignal);
std::span<const std::string_view> words(Rerun);
std::span<const std::string_view> words(SecurityLevel);

}  // namespace trainyard
