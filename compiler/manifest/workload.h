#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "manifest/devices.h"
#include "manifest/pod.h"
#include "tree/tree.h"

namespace trainyard {

/// How often a field says that something is there: once where it says nothing, and at most a
/// million times. `limit` is another field, which it does not exceed.
std::int64_t count_of(View number, View limit = {});
/// The product of two such counts, at most a million.
std::int64_t multiplied_counts(std::int64_t a, std::int64_t b);

/// Pods of a workload that are made from one template.
struct WorkloadRole {
  std::string_view name;  // `Worker`; "" where there is only one
  View holder;            // of the number and the template
  View count;             // what says how many; empty where it is left out
  std::int64_t pods = 1;  // at once
  /// Starts processes in the pods of other roles and has none of its own: an MPI launcher, the head
  /// of a Ray cluster, a submitter.
  bool is_launcher = false;
  int step = 0;                  // roles of a later one start when those of earlier ones have ended
  Pod pod;                       // without a spec where the template is in another object
  std::vector<View> containers;  // the regular ones, or the trainer of a TrainJob
  Devices devices;               // of one of its pods
};

/// An object that runs pods which work together, whatever its kind.
struct Workload {
  View object;
  View spec;
  std::string_view group;
  std::string_view kind;
  std::vector<WorkloadRole> roles;
  std::int64_t gpu_pods = 0;  // working pods with whole GPUs or slices, the most at one time

  bool is(std::string_view its_group, std::string_view its_kind) const {
    return group == its_group && kind == its_kind;
  }
  const WorkloadRole* role(std::string_view name) const;
  /// All pods at once, launchers too.
  std::int64_t pods() const;
  /// Those that do the work, the most at one time.
  std::int64_t working_pods() const;
};

/// Where a kind holds pods that work together. Paths are those of PodPlace.
struct WorkloadPlace {
  std::string_view group;
  std::string_view kind;
  std::string_view role;           // of what stands for one sort of pods
  std::string_view pod;            // from there to the template; "" where there is none
  std::string_view counts;         // from there to numbers whose product is how many, with spaces
  std::string_view name = {};      // key of its name; else its own key
  std::string_view launcher = {};  // the role that only starts others; `*` for all at this place
};

std::span<const WorkloadPlace> workload_places();

/// The workload that `object` is; without roles when it is none.
Workload read_workload(View object, std::string_view group, std::string_view kind);

}  // namespace trainyard
