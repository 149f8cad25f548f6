#include "driver/picture/job_demand.h"

#include <vector>

#include "diag/foreign_text.h"
#include "driver/plan/training_terms.h"

namespace trainyard {

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
                   terms.nodes, terms.gpus};
}

}  // namespace trainyard
