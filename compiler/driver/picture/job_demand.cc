#include "driver/picture/job_demand.h"

#include <vector>

#include "diag/foreign_text.h"
#include "driver/plan/training_terms.h"
#include "lints/queue/queue_fit.h"
#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

Amounts amounts_of(View made) {
  const Workload workload =
      read_workload(made, group_of(string_at(made, "apiVersion")), string_at(made, "kind"));
  Amounts amounts;
  for (const WorkloadRole& role : workload.roles) {
    for (const View container : role.containers) {
      for (const std::string_view list : {"requests", "limits"}) {
        for (const View each : entries_at(get(container, "resources"), list)) {
          amounts.try_emplace(std::string(each.key()), taken(workload, each.key()));
        }
      }
    }
  }
  amounts["pods"] = Quantity::of(workload.working_pods());  // which Kueue counts like a resource
  return amounts;
}

}  // namespace

std::optional<JobDemand> demand_of(const JobsOfInputs& inputs, const InputJob& job) {
  Tree tree;
  PodBuilder maker(tree, *job.origins);
  std::vector<std::string> notes;
  // What a TrainJob asks for stands in the JobSet that is made of it.
  const View made = inputs.maker_of_pods(maker, job, notes);
  if (!made) return std::nullopt;
  const TrainingTerms terms = terms_of(made);
  const TrainingTerms own = terms_of(job.object);
  return JobDemand{foreign_text(job_label(job.object)), own.queue.empty() ? terms.queue : own.queue,
                   terms.nodes, terms.gpus, amounts_of(made)};
}

}  // namespace trainyard
