#include "driver/explain/jobs_of_inputs.h"

#include <utility>

#include "driver/build/compile.h"
#include "driver/build/variants.h"
#include "driver/session/inputs.h"
#include "driver/session/surroundings.h"
#include "effective/fold_train_job.h"
#include "effective/pods.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Beyond this the lists of hosts that some controllers make are of no use.
constexpr std::int64_t kMostPods = 100'000;

bool is_train_job(View object) {
  return string_at(object, "kind") == "TrainJob" &&
         string_at(object, "apiVersion").starts_with("trainer.kubeflow.org/");
}

}  // namespace

std::string job_label(View job) {
  return std::string(string_at(job, "kind")) + "/" + std::string(name_of(job));
}

bool JobsOfInputs::read(const JobsRequest& request) {
  target_ = request.target;
  change_ = request.change;
  documents_ = read_inputs(request.inputs, session_.env, session_.sources, session_.sink,
                           session_.limits, Ambiguity::Kubernetes);
  if (session_.sink.has_errors() && !request.keeps_sound) return false;
  if (!take_cluster(request)) return false;
  session_.kubernetes = kubernetes_version(request.kubernetes);
  versions_ = versions_for(session_, cluster_.get());
  for (Document& each : documents_) take(each);
  return !session_.sink.has_errors();
}

bool JobsOfInputs::take_cluster(const JobsRequest& request) {
  cluster_path_ = request.cluster;
  if (cluster_path_.empty() && request.or_cluster_of_inputs) {
    for (const Document& each : documents_) {
      if (each.kind != "Cluster" || !each.api_version.starts_with("trainyard/")) continue;
      if (!cluster_path_.empty()) {
        session_.sink
            .report(DiagnosticKind::ConflictingValues, each.root()->span,
                    "the inputs have several Clusters, also `" + cluster_path_ + "`")
            .note("name one of them with `--cluster`");
        return false;
      }
      cluster_path_ = each.path;
    }
  }
  if (cluster_path_.empty()) return true;
  cluster_ = read_cluster(session_, cluster_path_);
  return cluster_ != nullptr;
}

void JobsOfInputs::take(Document& document) {
  if (document.api_version.starts_with("trainyard/")) {
    if (document.kind == "TrainingJob") take_spec(document);
    return;
  }
  take_object(document.root(), origins_, document.file);
}

void JobsOfInputs::take_spec(Document& document) {
  spec_files_.push_back(document.file);
  const std::size_t errors = session_.sink.error_count();
  strict_.take(session_, document);
  if (session_.sink.error_count() != errors) return;
  for_each_variant(session_, document, [this](Document& variant) {
    if (change_) change_(variant);
    specs_.emplace_back();
    CompiledSpec& spec = specs_.back();
    spec.document = std::move(variant);
    Compilation& compiled = spec.compiled;
    if (!compile(session_, spec.document, cluster_.get(), target_, compiled)) {
      specs_.pop_back();
      return;
    }
    for (const Object& each : compiled.objects.objects) {
      take_object(View(compiled.objects.tree, each.root), compiled.origins, spec.document.file);
    }
  });
}

void JobsOfInputs::take_object(View object, Origins& origins, FileId file) {
  if (!object || !object->is_map()) return;
  if (string_at(object, "apiVersion") == "v1" && string_at(object, "kind") == "List") {
    for (View each : items_at(object, "items")) take_object(each, origins, file);
    return;
  }
  inventory_.add(object);
  if (is_train_job(object) || find_pod_kind(object) != nullptr) {
    jobs_.push_back({object, &origins, file});
  } else if (!why_pods_unknown(object).empty()) {
    unknown_.push_back(object);
  }
}

Span JobsOfInputs::place(const InputJob& job) const {
  const View name = get(get(job.object, "metadata"), "name");
  const View at = name ? name : job.object;
  if (at->origin == kNoOrigin) return at->span;
  return span_of_origin(*job.origins, at->origin);
}

Diagnostic& JobsOfInputs::refuse(const InputJob& job, std::string message) const {
  return session_.sink.report(DiagnosticKind::NoSuchPod, place(job), std::move(message));
}

bool JobsOfInputs::has_few_pods(const InputJob& job, const std::vector<PodRole>& roles) const {
  for (const PodRole& each : roles) {
    if (each.count <= kMostPods) continue;
    refuse(job, "role `" + each.name + "` has " + std::to_string(each.count) + " pods; at most " +
                    std::to_string(kMostPods) + " can be explained");
    return false;
  }
  return true;
}

View JobsOfInputs::maker_of_pods(PodBuilder& maker, const InputJob& job,
                                 std::vector<std::string>& notes) const {
  if (!is_train_job(job.object)) return job.object;
  const RuntimeName wanted = runtime_name(job.object);
  const View runtime = find_runtime(job.object, inventory_);
  if (!runtime) {
    refuse(job, std::string(wanted.kind) + " `" + std::string(wanted.name) +
                    "`, which the TrainJob runs on, is not among the inputs")
        .note("name the file that has it as well");
    return {};
  }
  const TrainJobInput input{job.object, runtime, versions_, session_.schemas};
  const FoldedTrainJob folded = fold_train_job(maker, input, session_.sink);
  if (!folded.failure.empty()) {
    refuse(job, "the Trainer makes nothing from this TrainJob: " + folded.failure);
  }
  if (session_.sink.has_errors()) return {};
  notes.insert(notes.end(), folded.notes.begin(), folded.notes.end());
  return maker.view(folded.job_set);
}

}  // namespace trainyard
