#include "convert/train_job_inputs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// kubeflow/trainer pkg/constants/constants.go
constexpr std::string_view kDataset = "/workspace/dataset";
constexpr std::string_view kModel = "/workspace/model";

}  // namespace

/// A runtime may say itself what its jobs fetch, and a TrainJob with another address goes before
/// it.
void TrainJobInputs::fetched_by_runtime(View step, std::string_view kind, std::string_view path) {
  const View pod = get(get(get(get(step, "template"), "spec"), "template"), "spec");
  for (View container : items_at(pod, "containers")) {
    const NodeId item = job_.map();
    bool fetches = false;
    std::vector<View> others;
    for (View each : items_at(container, "env")) {
      const View uri = get(each, "value");
      if (string_at(each, "name") == "STORAGE_URI" && uri) {
        fetches = !fetched_.contains(kind);
        if (fetches) address(item, uri, kind);
      } else {
        others.push_back(each);
      }
    }
    for (View each : others) {
      if (fetches && endpoint(item, each)) continue;
      if (!is_open(each)) continue;
      job_.ledger.lost(each, "what fetches data gets no variables of its own",
                       "name a Secret with them in `credentials` of the input");
    }
    if (!fetches) continue;
    job_.maker.put(item, "path", job_.text(path));
    append_input(item);
  }
}

bool TrainJobInputs::is_open(View variable) const {
  return job_.ledger.fate(get(variable, "name")) == Fate::Open;
}

void TrainJobInputs::of_runtime(NodeId job_set) {
  Tree& tree = job_.maker.tree;
  const NodeId jobs = tree.find(job_set, "replicatedJobs");
  std::vector<NodeId> initializers;
  for (View each : Items(job_.maker.view(jobs))) {
    const View labels = get(get(get(each, "template"), "metadata"), "labels");
    const std::string_view step = string_at(labels, kTrainJobStep);
    job_.ledger.derived(get(labels, kTrainJobStep));
    if (step == "dataset-initializer") fetched_by_runtime(each, "dataset", kDataset);
    if (step == "model-initializer") fetched_by_runtime(each, "model", kModel);
    const bool fetches = step == "dataset-initializer" || step == "model-initializer";
    if (fetches) initializers.push_back(each.id());
  }
  std::vector<std::string_view> gone;
  for (NodeId each : initializers) {
    gone.push_back(string_at(job_.maker.view(each), "name"));
    job_.ledger.derived(job_.maker.view(each));
    tree.remove(jobs, each);
  }
  // A step that waits for another one waits for pods that are part of the job.
  for (View each : Items(job_.maker.view(jobs))) {
    for (View waits : items_at(each, "dependsOn")) {
      const bool for_data = std::ranges::find(gone, string_at(waits, "name")) != gone.end();
      if (for_data || string_at(waits, "status") == "Ready") job_.ledger.derived(waits);
    }
  }
}

void TrainJobInputs::of_train_job() {
  const View initializer = get(get(job_.job, "spec"), "initializer");
  one_initializer(get(initializer, "dataset"), "dataset", kDataset);
  one_initializer(get(initializer, "model"), "model", kModel);
}

void TrainJobInputs::one_initializer(View given, std::string_view kind, std::string_view path) {
  const View uri = get(given, "storageUri");
  if (!uri) return;
  const NodeId item = job_.map();
  address(item, uri, kind);
  job_.maker.put(item, "path", job_.text(path));
  const View secret = get(get(given, "secretRef"), "name");
  if (secret) job_.carry(item, "credentials", secret);
  for (View each : items_at(given, "env")) endpoint(item, each);
  fetched_.insert(kind);
  append_input(item);
}

/// What is fetched from a hub is a dataset by its step here, and by its address in a spec.
void TrainJobInputs::address(NodeId item, View uri, std::string_view kind) {
  constexpr std::string_view kHub = "hf://";
  constexpr std::string_view kDatasets = "hf://datasets/";
  const bool unsaid =
      kind == "dataset" && uri->text.starts_with(kHub) && !uri->text.starts_with(kDatasets);
  if (unsaid) {
    const std::string text = std::string(kDatasets) + std::string(uri->text.substr(kHub.size()));
    job_.maker.put(item, "uri", job_.text(text));
    job_.ledger.carried(uri);
  } else {
    job_.carry(item, "uri", uri);
  }
  job_.maker.put(item, "kind", job_.text(kind));
}

/// Where an initializer finds the service that is not the public one.
bool TrainJobInputs::endpoint(NodeId item, View variable) {
  const std::string_view name = string_at(variable, "name");
  const View value = get(variable, "value");
  if (!value || (name != "ENDPOINT" && name != "HF_ENDPOINT")) return false;
  job_.carry(item, "endpoint", value);
  job_.ledger.derived(get(variable, "name"));
  return true;
}

void TrainJobInputs::append_input(NodeId item) {
  const NodeId data = job_.map_at(job_.shared, "data");
  job_.maker.tree.append(job_.list_at(data, "inputs"), item);
}

}  // namespace trainyard
