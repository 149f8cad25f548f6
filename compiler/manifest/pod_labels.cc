#include "manifest/pod_labels.h"

#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::optional<std::string> label_of(const Workload& workload, const WorkloadRole& role,
                                    std::string_view key) {
  const std::string name(string_at(get(workload.object, "metadata"), "name"));
  const auto one_of = [&](std::string_view a, std::string_view b) { return key == a || key == b; };
  std::string lower = lower_case(role.name);
  if (workload.is("batch", "Job") && one_of("job-name", "batch.kubernetes.io/job-name")) {
    return name;
  }
  if (workload.kind == "JobSet" && key == "jobset.sigs.k8s.io/jobset-name") return name;
  if (key == "jobset.sigs.k8s.io/replicatedjob-name" &&
      (workload.kind == "JobSet" || workload.kind.ends_with("TrainingRuntime"))) {
    return std::string(role.name);
  }
  if (workload.group == "kubeflow.org") {
    if (key == "training.kubeflow.org/job-name") return name;
    if (one_of("training.kubeflow.org/replica-type", "training.kubeflow.org/job-role")) {
      return lower;
    }
  }
  if (workload.is("batch.volcano.sh", "Job")) {
    if (key == "volcano.sh/job-name") return name;
    if (key == "volcano.sh/task-spec") return std::string(role.name);
  }
  const View own = get(get(role.pod.metadata, "labels"), key);
  return own ? std::optional(std::string(own->text)) : std::nullopt;
}

}  // namespace trainyard
