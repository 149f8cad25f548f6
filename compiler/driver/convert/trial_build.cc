#include "driver/convert/trial_build.h"

#include <algorithm>
#include <array>
#include <utility>

#include "driver/build/compile_once.h"
#include "driver/session/inputs.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

struct TargetOfKind {
  std::string_view group;
  std::string_view kind;
  std::string_view target;
};

constexpr auto kTargets = std::to_array<TargetOfKind>({
    {"batch", "Job", "job"},
    {"batch.volcano.sh", "Job", "volcano"},
    {"jobset.x-k8s.io", "JobSet", "jobset"},
    {"kubeflow.org", "JAXJob", "jaxjob"},
    {"kubeflow.org", "MPIJob", "mpijob"},
    {"kubeflow.org", "PaddleJob", "paddlejob"},
    {"kubeflow.org", "PyTorchJob", "pytorchjob"},
    {"kubeflow.org", "TFJob", "tfjob"},
    {"kubeflow.org", "XGBoostJob", "xgboostjob"},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "lws"},
    {"ray.io", "RayJob", "rayjob"},
    {"run.ai", "DistributedWorkload", "runai-distributed"},
    {"run.ai", "TrainingWorkload", "runai"},
    {"sagemaker.amazonaws.com", "HyperPodPyTorchJob", "hyperpod"},
    {"trainer.kubeflow.org", "TrainJob", "trainjob"},
});

}  // namespace

TrialBuilds::Result TrialBuilds::build(const std::string& spec) {
  Session& session = session_;
  session.sink.clear();
  document_.path = "trial.yaml";
  document_.file = session.sources.add("trial.yaml", spec);
  std::vector<Tree> trees =
      read_yaml(session.sources, document_.file, session.sink, session.limits);
  if (trees.empty()) {
    return {false, {Diagnostic(DiagnosticKind::SpecDoesNotBuild, {}, "it is no document")}};
  }
  document_.tree = std::move(trees.front());
  Result result;
  result.builds = compile_once(session, document_, cluster_, {}, made_) == Reached::All;
  for (const Diagnostic& each : session.sink.sorted()) {
    const bool refuses = !result.builds && each.severity == Severity::Error;
    if (refuses) result.refusals.push_back(each);
  }
  session.sink.clear();
  return result;
}

std::string_view target_of_kind(View object) {
  const std::string_view group = group_of(string_at(object, "apiVersion"));
  const std::string_view kind = string_at(object, "kind");
  const auto found = std::ranges::find_if(
      kTargets, [&](const TargetOfKind& each) { return each.group == group && each.kind == kind; });
  return found == kTargets.end() ? std::string_view() : found->target;
}

}  // namespace trainyard
