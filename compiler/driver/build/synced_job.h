#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/build/job_units.h"
#include "kind/job_kind.h"
#include "target/object_set.h"

namespace trainyard {

/// What the objects of a GitOps tool have to know of a job of a unit.
struct SyncedJob {
  std::string team;
  std::string job;  // its name in the spec
  const JobKind* kind = nullptr;
  std::string ns;
  std::string name;
  bool is_held = false;                  // starts suspended, by itself or by Kueue
  std::vector<std::string_view> shared;  // JSON pointers of fields that a controller writes, too
};

/// Appends the jobs among the objects of one spec.
void note_synced_jobs(const JobKinds& kinds, const ObjectSet& objects, const JobUnit& unit,
                      std::string_view job, std::vector<SyncedJob>& out);

}  // namespace trainyard
