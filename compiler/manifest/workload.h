#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "manifest/devices.h"
#include "manifest/pod.h"
#include "tree/tree.h"

namespace trainyard {

/// How many pods there are, as some numbers of the object have it. Whoever reads it looks at these
/// (`ViewWitness`); to have it does not count as a look, so that checks which ask for other things
/// need not be asked again where only the numbers differ.
class PodCount {
 public:
  static constexpr std::int64_t kMany = 1'000'000;

  PodCount() = default;
  explicit PodCount(View number) { multiply_by(number); }

  operator std::int64_t() const {
    for (std::size_t i = 0; i < count_; ++i) (void)*from_[i];
    return number_;
  }

  /// By the number that stands there, or by one where there is none; `limit` is another field,
  /// which it does not exceed.
  void multiply_by(View number, View limit = {});
  /// One of them has a template of its own.
  void leave_one_out() { number_ = std::max<std::int64_t>(number_ - 1, 0); }

 private:
  void add(View from) {
    if (from) from_[count_++] = from;
  }

  std::int64_t number_ = 1;
  std::size_t count_ = 0;
  std::array<View, 4> from_;  // the most that WorkloadPlace::counts asks for
};

/// Pods of a workload that are made from one template.
struct WorkloadRole {
  std::string_view name;  // `Worker`; "" where there is only one
  View holder;            // of the number and the template
  View count;             // what says how many; empty where it is left out
  PodCount pods;          // at once
  /// Starts processes in the pods of other roles and has none of its own: an MPI launcher, the head
  /// of a Ray cluster, a submitter.
  bool is_launcher = false;
  int step = 0;                  // roles of a later one start when those of earlier ones have ended
  Pod pod;                       // without a spec where the template is in another object
  std::vector<View> containers;  // the regular ones, or the trainer of a TrainJob

  /// What one of its pods is given.
  Devices devices() const;
};

/// An object that runs pods which work together, whatever its kind.
struct Workload {
  View object;
  View spec;
  std::string_view group;
  std::string_view kind;
  std::vector<WorkloadRole> roles;

  bool is(std::string_view its_group, std::string_view its_kind) const {
    return group == its_group && kind == its_kind;
  }
  const WorkloadRole* role(std::string_view name) const;
  /// All pods at once, launchers too.
  std::int64_t pods() const;
  /// Those that do the work, the most at one time.
  std::int64_t working_pods() const;
  /// Working pods with whole GPUs or slices, the most at one time.
  std::int64_t gpu_pods() const;
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
