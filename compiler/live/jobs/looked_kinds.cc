#include "live/jobs/looked_kinds.h"

#include <algorithm>

#include "driver/diagnose/read_dump.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void add_core(const Discovery& discovery, std::string_view kind, LookedKinds& resources) {
  const ApiResource* resource = discovery.find_any("", kind);
  if (resource != nullptr) resources.push_back(resource);
}

/// `Workload.kueue.x-k8s.io`, each once.
void add_relatives(const Discovery& discovery, const std::vector<std::string_view>& names,
                   const LookedKinds& known, LookedKinds& resources) {
  for (const std::string_view name : names) {
    const std::size_t dot = name.find('.');
    const std::string_view group =
        dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
    const ApiResource* resource = discovery.find_any(group, name.substr(0, dot));
    const auto has = [resource](const LookedKinds& list) {
      return std::ranges::find(list, resource) != list.end();
    };
    if (resource != nullptr && !has(known) && !has(resources)) resources.push_back(resource);
  }
}

}  // namespace

LookedKinds job_kinds(const JobKinds& kinds, const Discovery& discovery, const JobName& name) {
  LookedKinds resources;
  for (const JobKind& kind : kinds.all()) {
    if (!kind.is_job() || (!name.kind.empty() && name.kind != kind.kind)) continue;
    const ApiResource* resource = discovery.find_any(kind.group, kind.kind);
    if (resource != nullptr) resources.push_back(resource);
  }
  return resources;
}

LookedKinds kinds_around(const JobKinds& kinds, const Discovery& discovery,
                         const std::vector<View>& jobs, const LookedKinds& known) {
  LookedKinds resources;
  for (const std::string_view kind : {"Pod", "Event", "Node"}) {
    add_core(discovery, kind, resources);
  }
  for (const View job : jobs) {
    const JobKind* kind = kinds.find(job);
    if (kind == nullptr) continue;
    add_relatives(discovery, kind->queues, known, resources);
    add_relatives(discovery, kind->children, known, resources);
    // A TrainJob makes a JobSet, whose Jobs have the events of pods that cannot be made.
    for (const std::string_view name : kind->children) {
      const JobKind* child = kinds.find(name);
      if (child != nullptr) add_relatives(discovery, child->children, known, resources);
    }
  }
  return resources;
}

LookedKinds claim_kind(const Discovery& discovery) {
  LookedKinds resources;
  add_core(discovery, "PersistentVolumeClaim", resources);
  return resources;
}

LookedKinds tellers_of(const Discovery& discovery, const JobKind& kind) {
  LookedKinds resources;
  if (kind.signs.empty()) add_relatives(discovery, kind.children, {}, resources);
  return resources;
}

std::vector<LiveJob> jobs_named(const ClusterDump& dump, const Discovery& discovery,
                                const JobName& name) {
  std::vector<LiveJob> jobs;
  for (const View job : dump.jobs()) {
    const JobKind* kind = dump.job_kinds().find(job);
    if (kind == nullptr || !kind->is_job()) continue;
    if (!name.name.empty() && !is_called(job, name.name)) continue;
    if (!name.kind.empty() && kind->kind != name.kind) continue;
    jobs.push_back({&dump.job_kinds(), kind, discovery.find_any(kind->group, kind->kind), job,
                    tellers_of(discovery, *kind)});
  }
  return jobs;
}

}  // namespace trainyard
