#include "driver/picture/draw_inputs.h"

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/doctor/doctor.h"
#include "driver/explain/jobs_of_inputs.h"
#include "driver/picture/cluster_picture.h"
#include "driver/picture/job_demand.h"
#include "driver/picture/job_picture.h"
#include "effective/pods.h"

namespace trainyard {
namespace {

std::vector<const InputJob*> chosen_jobs(const JobsOfInputs& inputs, const std::string& name) {
  std::vector<const InputJob*> chosen;
  for (const InputJob& each : inputs.jobs()) {
    const bool is_named =
        name.empty() || name == name_of(each.object) || name == job_label(each.object);
    if (is_named) chosen.push_back(&each);
  }
  return chosen;
}

void refuse_empty(Session& session, const JobsOfInputs& inputs, const std::string& name) {
  if (inputs.jobs().empty()) {
    session.sink
        .report(DiagnosticKind::NoInput, {}, "no input is a Cluster, or a job whose pods are known")
        .note("`trainyard explain pod` lists the kinds that are known");
    return;
  }
  std::vector<std::string> names;
  for (const InputJob& each : inputs.jobs()) names.push_back(job_label(each.object));
  session.sink.report(
      DiagnosticKind::NoSuchPod, {},
      "no job of the input has the name `" + name + "`; there are " + listed(names, "and"));
}

/// Where the jobs would go. `doctor` compiles them once more, and finds the same again.
DoctorResult placed(Session& session, const DrawRequest& request, const JobsOfInputs& inputs) {
  Sink told = session.sink;
  session.sink.clear();
  DoctorResult fits = doctor(session, {.inputs = request.inputs,
                                       .cluster = inputs.cluster_path(),
                                       .target = request.target,
                                       .assume_used = {},
                                       .seen = nullptr});
  if (!session.sink.has_errors()) session.sink = std::move(told);
  return fits;
}

}  // namespace

std::optional<Picture> draw_inputs(Session& session, const DrawRequest& request) {
  JobsOfInputs inputs(session);
  const bool among_inputs = request.cluster.empty();
  if (!inputs.read({.inputs = request.inputs,
                    .cluster = request.cluster,
                    .or_cluster_of_inputs = true,
                    .target = request.target,
                    .kubernetes = {}})) {
    return std::nullopt;
  }
  const std::vector<const InputJob*> chosen = chosen_jobs(inputs, request.name);
  const ClusterDocument* const cluster = inputs.cluster();
  const bool shows_cluster = cluster != nullptr && request.name.empty() && among_inputs;
  if (chosen.empty() && !shows_cluster) {
    refuse_empty(session, inputs, request.name);
    return std::nullopt;
  }
  if (chosen.size() == 1 && !shows_cluster) return job_picture(session, inputs, *chosen.front());
  std::vector<JobDemand> demands;
  for (const InputJob* each : chosen) {
    if (auto demand = demand_of(inputs, *each)) demands.push_back(std::move(*demand));
  }
  if (session.sink.has_errors()) return std::nullopt;
  if (cluster == nullptr) return fleet_picture(demands);
  const DoctorResult fits = chosen.empty() ? DoctorResult() : placed(session, request, inputs);
  return cluster_picture(session, *cluster, demands,
                         cluster_use(session, cluster, demands, fits.jobs));
}

}  // namespace trainyard
