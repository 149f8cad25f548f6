#include <algorithm>

#include "convert/gang_membership.h"
#include "convert/job_metadata.h"
#include "convert/pod_template_reader.h"
#include "convert/role_values.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct KnownScheduler {
  std::string_view name;
  std::string_view system;
};
constexpr KnownScheduler kSchedulers[] = {{"volcano", "volcano"},
                                          {"kai-scheduler", "kai"},
                                          {"runai-scheduler", "runai"},
                                          {"scheduler-plugins-scheduler", "coscheduling"}};

/// A field of the job where all roles have one value, otherwise of the pods of each.
void say(PodParts& parts, std::string_view field, std::string_view of_pod, View value) {
  Conversion& job = parts.job;
  say_of_role(job, parts.fields(), {"scheduling", field}, job.maker.copy(value), value,
              [this_job = &job, of_pod, value](NodeId fields) {
                this_job->carry(own_spec_of(*this_job, fields), of_pod, value);
              });
}

void scheduler(PodParts& parts) {
  Conversion& job = parts.job;
  const View name = get(parts.spec, "schedulerName");
  if (!name || name->text == "default-scheduler") return job.ledger.derived(name);
  const View system = job.shared_at({"scheduling", "system"});
  const auto* known = std::ranges::find(kSchedulers, name->text, &KnownScheduler::name);
  // Of a LeaderWorkerSet only KAI makes gangs; other schedulers take its pods one by one.
  const bool one_by_one =
      string_at(job.job, "kind") == "LeaderWorkerSet" && name->text != "kai-scheduler";
  const bool is_usual =
      known != std::end(kSchedulers) && !one_by_one && (!system || system->text == known->system);
  if (is_usual) {
    job.share({"scheduling", "system"}, job.text(known->system), {});
    job.ledger.derived(name);
  } else {
    say(parts, "schedulerName", "schedulerName", name);
  }
}

/// With Kueue the priority is that of the Workload, and the pods' own stands in `pod`.
void priority(PodParts& parts) {
  Conversion& job = parts.job;
  const View name = get(parts.spec, "priorityClassName");
  if (!name || name->text.empty()) return;
  const View system = job.shared_at({"scheduling", "system"});
  if (system && system->text == "kueue") {
    job.carry(parts.own_spec(), "priorityClassName", name);
  } else {
    say(parts, "priority", "priorityClassName", name);
  }
}

}  // namespace

void read_pod_scheduling(PodParts& parts) {
  for (std::string_view list : {"labels", "annotations"}) {
    for (View each : entries_at(parts.metadata, list)) {
      if (!read_queueing_label(parts.job, each)) read_preemption(parts.job, each);
    }
  }
  read_pod_group(parts);
  scheduler(parts);
  priority(parts);
}

}  // namespace trainyard
